/** Attributes by name. False omits an attribute, true sets it without a value. */
type Attributes = Readonly<Record<string, string | boolean>>;

/** Makes an element. Texts are added as text, never as markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) {
      made.setAttribute(name, value === true ? '' : value);
    }
  }
  made.append(...children);
  return made;
}

/** A button that calls a function. For the submit button of a form, use {@link element}. */
export function button(text: string, attributes: Attributes, act: () => unknown): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}
