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

/** Control characters. A terminal would obey them, and callers choose their names, paths and user agents. */
export const UNPRINTABLE = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu;
