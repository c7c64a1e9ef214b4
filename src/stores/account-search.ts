import type { mongo } from 'mongoose';
import type { StoredAccount, WithoutSecrets } from './account-record.ts';
import { foldCase } from './email-key.ts';

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

/** The last code point. No e-mail contains it. */
export const AFTER_ALL = '\u{10ffff}';

/** The search fields of a record without words and digits. */
export const NO_WORDS = { nameWords: [], phoneDigits: null };

/** A part of a searched text: all of it is a telephone or an e-mail, or it has words. */
type SearchedWord = { word: string } | { email: string } | { digits: string };

const MIN_CHARACTERS = 3;
const WHOLE_WORD_CHARACTERS = 2;
const MAX_SEARCHED_WORDS = 4;

/** @param text of bounded length */
export function searchedWords(text: string): SearchedWord[] {
  if (isPhone(text)) {
    return [{ digits: digitsOf(text) }];
  }
  return text.includes('@')
    ? [{ email: foldCase(text.trim()) }]
    : wordsOf(text)
        .slice(0, MAX_SEARCHED_WORDS)
        .map((word) => ({ word }));
}

export const lengthOf = (searched: SearchedWord): number => Object.values(searched).join('').length;

const isShort = (text: string): boolean => [...text].length < MIN_CHARACTERS;
const beginningWith = (text: string) => ({ $gte: text, $lt: text + AFTER_ALL });

/** The queries for a word, each with an index. A word that is too short has none. */
export function filtersOf(searched: SearchedWord): mongo.Filter<StoredAccount>[] {
  if ('digits' in searched) {
    return isShort(searched.digits) ? [] : [{ phoneDigits: beginningWith(searched.digits) }];
  }
  if ('email' in searched) {
    return isShort(searched.email) ? [] : [{ emailKey: beginningWith(searched.email) }];
  }
  const { word } = searched;
  if (isShort(word)) {
    return [...word].length === WHOLE_WORD_CHARACTERS ? [{ nameWords: word }] : [];
  }
  return [{ nameWords: beginningWith(word) }, { emailKey: beginningWith(word) }];
}

/** True if an account, which matches another word, matches this one, too. */
export function begins(account: WithoutSecrets, searched: SearchedWord): boolean {
  if (!('word' in searched)) {
    return true;
  }
  const { word } = searched;
  return account.emailKey.startsWith(word) || (account.nameWords ?? []).some((one) => one.startsWith(word));
}
