import type { Page, Request } from 'playwright-core';

/** The part of an answer of the GraphQL API that tests use. */
export interface Answer {
  data?: Record<string, Record<string, unknown>> | null;
  errors?: { message: string; extensions: { code: string } }[];
}

/** The models of GraphiQL's editors, by the end of their address. */
const EDITORS = {
  Operation: 'operation.graphql',
  Variables: 'variables.json',
  Headers: 'request-headers.json',
  Result: 'response.json',
} as const;

const OPEN_TOOL = '.graphiql-editor-tool .graphiql-editor:not(.hidden)';

type Editor = keyof typeof EDITORS;

/** What GraphiQL publishes of Monaco. */
interface Model {
  uri: { path: string };
  getValue(): string;
}
declare const __MONACO: { editor: { getModels(): Model[] } };

/** GraphiQL, used by hand. */
export interface GraphiqlHand {
  /** Changes to the tab of an operation. */
  openTab(name: string): Promise<void>;
  /** Replaces the text of an editor. */
  edit(editor: 'Variables' | 'Headers', value: unknown): Promise<void>;
  /** The text of an editor. */
  text(editor: Editor): Promise<string>;
  /** Presses the button, and waits until the answer is shown. */
  run(): Promise<Answer>;
}

/** Waits until GraphiQL is there, and takes it over. */
export async function useGraphiql(page: Page): Promise<GraphiqlHand> {
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  return {
    async openTab(name) {
      await page.getByRole('button', { name, exact: true }).click();
      await page.locator(`.graphiql-tab-button[aria-current="true"]:text-is("${name}")`).waitFor();
      await shown(page, 'Operation', ` ${name}`);
    },
    async edit(editor, value) {
      await page.getByRole('button', { name: editor, exact: true }).click();
      await page.locator(`${OPEN_TOOL} textarea`).focus();
      await page.keyboard.press('ControlOrMeta+A');
      const text = JSON.stringify(value);
      await page.locator(`${OPEN_TOOL} textarea`).evaluate(paste, text);
      await shown(page, editor, text);
    },
    text: (editor) => page.evaluate(textOf, EDITORS[editor]),
    async run() {
      const responded = page.waitForResponse((response) => isOfOperation(response.request()));
      await page.locator('.graphiql-execute-button').click();
      const answer: Answer = await (await responded).json();
      await shown(page, 'Result', JSON.stringify(answer, null, 2));
      return answer;
    },
  };
}

/** Rather than of GraphiQL, for its documentation. */
const isOfOperation = (request: Request): boolean =>
  request.method() === 'POST' && !request.postData()?.includes('IntrospectionQuery');

/** Runs in the browser. */
const textOf = (end: string): string =>
  __MONACO.editor
    .getModels()
    .find(({ uri }) => uri.path.endsWith(end))
    ?.getValue() ?? '';

/** Runs in the browser. Pastes, because the editor adds closing brackets to typed text. */
function paste(input: Element, text: string): void {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  input.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}

/** Waits until an editor holds a text. */
async function shown(page: Page, editor: Editor, text: string): Promise<void> {
  await page.waitForFunction(
    ({ end, wanted }) =>
      __MONACO.editor
        .getModels()
        .some((model) => model.uri.path.endsWith(end) && model.getValue().includes(wanted)),
    { end: EDITORS[editor], wanted: text },
  );
}
