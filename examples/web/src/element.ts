/** Attributes by name; false leaves one out, true gives it without a value. */
type Attributes = Readonly<Record<string, string | boolean>>;

/** Makes an element. Texts become text, never markup. */
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

/** A button that does something; those of a form's own are made of {@link element}. */
export function button(text: string, attributes: Attributes, act: () => unknown): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text);
  made.addEventListener('click', act);
  return made;
}
