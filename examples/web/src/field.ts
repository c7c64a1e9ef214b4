import { element } from './element.ts';

/** One entry of a form. */
export interface Field<Value = unknown> {
  readonly element: HTMLElement;
  readonly label: string;
  /** What the label belongs to, and links from the summary of errors lead to. */
  readonly control: HTMLElement;
  readonly value: Value;
  /** Shows what the gateway says about this field; no texts, no error. */
  showErrors(texts: readonly string[]): void;
}

/** The values of a form's fields, by the fields' names. */
export const valuesOf = <Fields extends Record<string, Field>>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).map(([name, { value }]) => [name, value])) as {
    [Name in keyof Fields]: Fields[Name]['value'];
  };

interface TextOptions {
  hint?: string;
  isOptional?: boolean;
  isLong?: boolean;
  /** Of the control: `type`, `autocomplete`, … */
  attributes?: Record<string, string>;
}

/**
 * A field of text. It says what is optional and what helps, but judges nothing: the rules are the gateway's, and so are
 * the texts about them.
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

let ids = 0;
export const newId = (): string => `control-${++ids}`;

/** The hint and the errors of a control, told with it by screen readers. Editing the control takes the errors away. */
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
