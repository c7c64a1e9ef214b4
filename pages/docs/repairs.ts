/** A selector of elements that Scalar marks up wrongly, and what makes them accessible (WAI-ARIA 1.2; axe checks it). */
type Repair = readonly [selector: string, repair: (element: Element) => void];

const withoutRole = (element: Element): void => element.removeAttribute('role');

const focusable = (element: Element): void => element.setAttribute('tabindex', '0');

const named =
  (name: string) =>
  (element: Element): void =>
    element.setAttribute('aria-label', name);

const REPAIRS: readonly Repair[] = [
  // A button cannot be selected. The one of the place that is shown is the current one.
  ['button[aria-selected]:not([role=tab]), .client-libraries-list [aria-selected]', selectedToCurrent],
  ['aside[role=navigation]', withoutRole],
  ['button[role=search]', withoutRole],
  // It is the name of the button.
  ['.sidebar-search-placeholder[aria-hidden]', (element) => element.removeAttribute('aria-hidden')],
  // Not only tabs are in this list.
  ['.client-libraries-list[role], .client-libraries-list [role=tab]', withoutRole],
  ['.client-libraries-list[aria-orientation]', (element) => element.removeAttribute('aria-orientation')],
  ['button.client-libraries__select:not([aria-label])', named('More languages')],
  ['button[class*="copy-button"]:not([aria-label])', named('Copy')],
  ['button[role=none]', withoutRole],
  ['button[aria-controls]', withoutDanglingReference],
  ['.cm-content[role=textbox]:not([aria-label])', nameEditor],
  ['tr input[type=checkbox]:not([aria-label])', named('Send this row')],
  // They scroll on a narrow screen.
  ['ul.endpoints:not([tabindex]), .cm-scroller[tabindex="-1"]:not(:has([contenteditable=true]))', focusable],
  // Several have the same name.
  ['.response-card[role=region]', withoutRole],
];

function selectedToCurrent(element: Element): void {
  element.toggleAttribute('aria-current', false);
  if (element.getAttribute('aria-selected') === 'true') {
    element.setAttribute('aria-current', 'true');
  }
  element.removeAttribute('aria-selected');
}

function withoutDanglingReference(element: Element): void {
  if (!document.getElementById(element.getAttribute('aria-controls') ?? '')) {
    element.removeAttribute('aria-controls');
  }
}

/** The editors of a row have the key and the value, after its checkbox. */
function nameEditor(editor: Element): void {
  const row = editor.closest('tr');
  const column = [...(row?.children ?? [])].findIndex((cell) => cell.contains(editor));
  editor.setAttribute('aria-label', row ? (['Value', 'Key', 'Value'][column] ?? 'Value') : 'Text');
}

/** Repairs the markup of Scalar, now and after each change. */
export function repairMarkup(place: Element): void {
  const repairAll = () => {
    for (const [selector, repair] of REPAIRS) {
      place.querySelectorAll(selector).forEach(repair);
    }
  };
  new MutationObserver(repairAll).observe(document.body, {
    subtree: true,
    childList: true,
    attributeFilter: ['aria-selected', 'role'],
  });
  repairAll();
}
