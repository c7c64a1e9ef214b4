/**
 * Gives every style element that a script of this page makes the nonce of the page. Editors and dialogs of other packages make
 * such elements, and the page's policy allows only styles with the nonce (CSP Level 3 section 7.1).
 * Import it before those packages.
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
}
