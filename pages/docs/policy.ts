/** The style attribute of Scalar's code blocks: it aligns the line numbers. */
const LINE_NUMBERS = / style="(--line-count: \d+; --line-digits: \d+;)"/;

/**
 * Two more ways of Scalar and its libraries that the policy of the page refuses (`permitStyles` has the first).
 * Call it before Scalar runs.
 */
export function keepToPolicy(): void {
  permitLineNumbers();
  refuseEval();
}

/** The same text is permitted through the object model (CSP Level 3 section 6.7.3.3). */
function permitLineNumbers(): void {
  const innerHtml = Object.getOwnPropertyDescriptor(Element.prototype, 'innerHTML');
  Object.defineProperty(Element.prototype, 'innerHTML', {
    ...innerHtml,
    set(this: Element, html: unknown) {
      const text = String(html);
      innerHtml?.set?.call(this, text.replace(LINE_NUMBERS, ''));
      const [, style] = LINE_NUMBERS.exec(text) ?? [];
      const code = this.querySelector('code');
      if (code && style !== undefined) {
        code.style.cssText = style;
      }
    },
  });
}

/** Zod asks with `new Function` whether the page may evaluate text. Each question would be reported as a violation. */
function refuseEval(): void {
  globalThis.Function = new Proxy(Function, {
    construct() {
      throw new EvalError('The policy of this page does not permit it.');
    },
  });
}
