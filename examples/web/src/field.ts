import { element } from './element.ts';

/** One field of a form. */
export interface Field<Value = unknown> {
  readonly element: HTMLElement;
  readonly label: string;
  /** The element of the label. Links in the summary of errors lead to it. */
  readonly control: HTMLElement;
  readonly value: Value;
  /** Shows the gateway's errors about this field. An empty list removes them. */
  showErrors(texts: readonly string[]): void;
}

/** The values of the fields of a form, by name. */
export const valuesOf = <Fields extends Record<string, Field>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])) as {
    [Name in keyof Fields]: Fields[Name]['value'];
  };

interface TextOptions {
  hint?: string;
  isOptional?: boolean;
  isLong?: boolean;
  /** Attributes of the control: `type`, `autocomplete`, … */
  attributes?: Record<string, string>;
}

/**
 * A text field. It shows a hint and whether it is optional, but checks nothing: the gateway has the rules and the texts of the
 * errors.
 */
export function textField(label: string, options: TextOptions = {}): Field<string> {
  const { hint = '', isOptional = false, isLong = false, attributes = {} } = options;
  const id = newId();
  const control = isLong
    ? element('textarea', { id, rows: '3', ...attributes })
    : element('input', { id, type: 'text', ...attributes });
  const about = errorsOf(control, hint);
  const caption = element('label', { for: id }, label);
  if (isOptional) {
    caption.append(' ', element('span', { class: 'optional' }, '(optional)'));
  }
  return {
    element: element('div', { class: isLong ? 'field wide' : 'field' }, caption, control, ...about.elements),
    label,
    control,
    get value() {
      return control.value;
    },
    showErrors: about.show,
  };
}

/** A box to tick. */
export function checkField(label: string, isChecked: boolean): Field<boolean> {
  const control = element('input', { id: newId(), type: 'checkbox', checked: isChecked });
  const about = errorsOf(control, '');
  return {
    element: element(
      'div',
      { class: 'field' },
      element('div', { class: 'check' }, control, element('label', { for: control.id }, label)),
      ...about.elements,
    ),
    label,
    control,
    get value() {
      return control.checked;
    },
    showErrors: about.show,
  };
}

let ids = 0;
export const newId = (): string => `control-${++ids}`;

/** The hint and the errors of a control. Screen readers read them with it. An edit of the control removes the errors. */
export function errorsOf(control: HTMLElement, hint: string) {
  const help = element('p', { id: `${control.id}-hint`, class: 'hint' }, hint);
  const errors = element('p', { id: `${control.id}-errors`, class: 'errors' });
  const elements = hint === '' ? [errors] : [help, errors];
  control.setAttribute('aria-describedby', elements.map(({ id }) => id).join(' '));
  const show = (texts: readonly string[]) => {
    errors.textContent = texts.join(' ');
    control.setAttribute('aria-invalid', String(texts.length > 0));
  };
  control.addEventListener('input', () => show([]));
  return { elements, show };
}
