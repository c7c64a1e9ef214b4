/*
 * What a search for people looks at: the words of the name and the digits of the telephone. The e-mail has its key already
 * (email-key.ts). Each is compared from its beginning, without case and accents.
 */

/** The fields of a stored account by which people are found. Absent in accounts that an earlier version has written. */
export interface SearchFields {
  nameWords: string[];
  /** Null without digits. */
  phoneDigits: string | null;
}

/** A longer name has no longer words, and a longer text was stored by another program. */
const MAX_CHARACTERS = 255;
const MAX_WORDS = 8;

/**
 * Words are compared in this form: small letters without accents.
 * @param text of bounded length
 */
const fold = (text: string): string => text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();

/** The different words of a text, as {@link fold} makes them. */
export const wordsOf = (text: string): string[] => [
  ...new Set(
    fold(text)
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== ''),
  ),
];

/** A text that may be a telephone number, or a part of one. */
export const isPhone = (text: string): boolean => /^[\d\s+()./-]+$/.test(text);

export const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** The search fields that change with a name or a telephone. A value of another type has nothing to search for. */
export function searchFieldsOf(fields: { name?: unknown; phone?: unknown }): Partial<SearchFields> {
  const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, MAX_CHARACTERS) : '');
  return {
    ...('name' in fields && { nameWords: wordsOf(text(fields.name)).slice(0, MAX_WORDS) }),
    ...('phone' in fields && { phoneDigits: digitsOf(text(fields.phone)) || null }),
  };
}
