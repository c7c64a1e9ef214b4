/**
 * The policy of the page permits no `style="…"` in HTML, but Monaco 0.52 writes the lines of its editors as such HTML
 * (`viewLayer.js`: `innerHTML` and `insertAdjacentHTML`), and measures them at once. Scripts may set the same styles through the
 * CSSOM (CSP Level 3 section 8.4), so this does that, before the setter of `innerHTML` returns. An observer would be too late.
 *
 * Monaco passes this HTML, and no other, through `MonacoEnvironment.createTrustedTypesPolicy`. The policy below marks it. HTML of
 * any other origin keeps its attributes, and the browser keeps refusing them. Monaco has escaped all text in its HTML, so the
 * only `<` are those of tags.
 */
class EditorHtml {
  readonly #html: string;

  constructor(html: string) {
    this.#html = html;
  }

  /** For a sink that {@link permitEditorStyles} does not replace. The browser refuses the styles, as without this module. */
  toString(): string {
    return this.#html;
  }

  /** The HTML with every style as an attribute that the browser ignores. */
  withoutStyles(): string {
    return this.#html.replaceAll(/<[a-z][^<>]*>/gi, (tag) => tag.replace(/\sstyle="/i, ` ${PENDING}="`));
  }
}

const PENDING = 'data-pending-style';

function applyPendingStyles(within: Element): void {
  for (const element of within.querySelectorAll<HTMLElement>(`[${PENDING}]`)) {
    element.style.cssText = element.getAttribute(PENDING) ?? '';
    element.removeAttribute(PENDING);
  }
}

type PolicyOptions = Record<string, (value: string) => unknown>;

/** For `MonacoEnvironment`: marks the HTML of editors. Monaco uses these policies only as functions. */
export const createTrustedTypesPolicy = (_name: string, options: PolicyOptions): PolicyOptions => ({
  ...options,
  ...(options.createHTML && { createHTML: (html: string) => new EditorHtml(html) }),
});

/** Makes the two sinks that Monaco uses set the styles of its HTML. */
export function permitEditorStyles(): void {
  const innerHtml = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML') as PropertyDescriptor;
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...innerHtml,
    set(this: Element, html: unknown) {
      innerHtml.set?.call(this, html instanceof EditorHtml ? html.withoutStyles() : html);
      if (html instanceof EditorHtml) {
        applyPendingStyles(this);
      }
    },
  });

  const { insertAdjacentHTML } = Element.prototype;
  Element.prototype.insertAdjacentHTML = function (position: InsertPosition, html: unknown) {
    const isOfEditor = html instanceof EditorHtml;
    insertAdjacentHTML.call(this, position, isOfEditor ? html.withoutStyles() : (html as string));
    if (isOfEditor) {
      applyPendingStyles(this.parentElement ?? this);
    }
  };
}
