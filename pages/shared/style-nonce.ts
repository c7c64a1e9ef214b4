/**
 * Lets the scripts of this page style it as the policy permits (CSP Level 3 section 7.1). Editors and dialogs of other packages
 * make style elements, which get the nonce of the page here. They also write style attributes as text, which the policy refuses;
 * the same text through the object model is permitted.
 * Call it before those packages run.
 */
export function permitStyles(nonce: string): void {
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions) => {
    const element = create(name, options);
    if (name.toLowerCase() === 'style') {
      element.setAttribute('nonce', nonce);
    }
    return element;
  };
  const { setAttribute } = Element.prototype;
  Element.prototype.setAttribute = function (name: string, value: string) {
    if (name === 'style' && this instanceof HTMLElement) {
      this.style.cssText = value;
    } else {
      setAttribute.call(this, name, value);
    }
  };
}
