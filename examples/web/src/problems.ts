import type { AuthError } from '@auth-gateway/client';
import { element } from './element.ts';
import type { Field } from './field.ts';
import { problemText } from './problem-text.ts';

/** Shows an error in an alert. */
export function showProblem(alert: HTMLElement, error: AuthError<string>): void {
  alert.replaceChildren(element('p', {}, problemText(error)));
}

/** Lists the wrong fields in an alert, with links to them. */
export function showSummary(alert: HTMLElement, wrong: { field: Field; texts: readonly string[] }[]): void {
  const count = wrong.length === 1 ? 'One field needs' : `${wrong.length} fields need`;
  const links = wrong.map(({ field, texts }) => {
    const link = element('a', { href: `#${field.control.id}` }, field.label);
    link.addEventListener('click', (event) => {
      // A normal link would change the address after the `#`, which is that of the view.
      event.preventDefault();
      field.control.focus();
    });
    return element('li', {}, link, `: ${texts.join(' ')}`);
  });
  alert.replaceChildren(element('p', {}, `${count} your attention:`), element('ul', {}, ...links));
}
