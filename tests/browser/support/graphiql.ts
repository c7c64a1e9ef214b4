import type { Page, Request } from 'playwright-core';

/** The part of an answer of the GraphQL API that tests use. */
interface Answer {
  data?: Record<string, Record<string, unknown>> | null;
  errors?: { message: string; extensions: { code: string } }[];
}

/** The properties that CodeMirror sets on the element of an editor, and GraphiQL on that of the query. */
type EditorElement = Element & { CodeMirror: { getValue(): string; operationName?: string } };

const QUERY = '.graphiql-query-editor .CodeMirror';
const OPEN_TOOL = '.graphiql-editor-tool .graphiql-editor:not(.hidden) .CodeMirror';

/** GraphiQL, used by hand. */
export interface GraphiqlHand {
  /** Changes to the tab of an operation. */
  openTab(name: string): Promise<void>;
  /** Replaces the text of an editor. */
  edit(editor: 'Variables' | 'Headers', value: unknown): Promise<void>;
  /** Presses the button, and waits until the answer is shown. */
  run(): Promise<Answer>;
}

/** Waits until GraphiQL is there, and takes it over. */
export async function useGraphiql(page: Page): Promise<GraphiqlHand> {
  await page.locator('.graphiql-tab').first().waitFor();
  return {
    async openTab(name) {
      await page.getByRole('tab', { name, exact: true }).locator('.graphiql-tab-button').click();
      // GraphiQL looks a moment later which operation it will ask for.
      await page.waitForFunction(
        (wanted) =>
          document.querySelector<EditorElement>(wanted.editor)?.CodeMirror.operationName === wanted.name,
        { editor: QUERY, name },
      );
    },
    async edit(editor, value) {
      await page.getByRole('button', { name: editor, exact: true }).click();
      await page.locator(OPEN_TOOL).click();
      await page.keyboard.press('ControlOrMeta+A');
      const text = JSON.stringify(value);
      // Pasted, because the editor adds closing brackets to typed text.
      await page.keyboard.insertText(text);
      await shown(page, OPEN_TOOL, text);
    },
    async run() {
      const responded = page.waitForResponse((response) => isOfOperation(response.request()));
      await page.locator('.graphiql-execute-button').click();
      const answer: Answer = await (await responded).json();
      await shown(page, '.result-window .CodeMirror', JSON.stringify(answer, null, 2));
      return answer;
    },
  };
}

/** Rather than of GraphiQL, for its documentation. */
const isOfOperation = (request: Request): boolean =>
  request.method() === 'POST' && !request.postData()?.includes('IntrospectionQuery');

/** Waits until an editor holds a text. */
async function shown(page: Page, editor: string, text: string): Promise<void> {
  await page.waitForFunction(
    (wanted) =>
      document.querySelector<EditorElement>(wanted.editor)?.CodeMirror.getValue().includes(wanted.text),
    { editor, text },
  );
}
