const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Writes a text for the content or an attribute of an HTML element. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/** HTML that is written as it is: make it with {@link html}. */
export class Html {
  constructor(private readonly text: string) {}

  toString = (): string => this.text;
}

/** Writes HTML. Values are escaped, unless they are HTML themselves, or lists of it. */
export const html = (
  parts: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
) => new Html(String.raw({ raw: parts }, ...values.map(written)));

const written = (value: string | number | Html | readonly Html[]): string =>
  value instanceof Html || Array.isArray(value) ? [value].flat().join('\n') : escapeHtml(String(value));

/** Control characters. A terminal would obey them, and callers choose their names, paths and user agents. */
export const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
