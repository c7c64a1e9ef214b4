import { documentField } from '../document-field.ts';
import { element } from '../element.ts';
import type { Field } from '../field.ts';

/** The three documents of a doctor. */
export const documentFields = () => ({
  licenseFile: documentField('License'),
  diplomaFile: documentField('Diploma'),
  certificationFile: documentField('Certification'),
});

/** Fields below a title. */
export function fieldSet(title: string, fields: Record<string, Field>): HTMLElement {
  const elements = Object.values(fields).map((field) => field.element);
  return element(
    'fieldset',
    {},
    element('legend', {}, title),
    element('div', { class: 'fields' }, ...elements),
  );
}
