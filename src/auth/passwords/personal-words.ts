import { isBeyondPasswords } from './password-text.ts';

/** What a password must not be made of. */
export interface Person {
  name: string;
  email: string;
}

/** Shorter words are in many honest passwords by chance. */
const MIN_LETTERS = 4;
/** Next to a word of the name: as many other letters and digits as a whole password needs by default. */
const MIN_OTHERS = 8;
/** The longest name and e-mail that an API takes, in UTF-16 code units. Imported ones may be longer. */
const MAX_CODE_UNITS = 510;

/** In names only letters and digits are compared, not what is between them: "José Núñez" is in "jose_nunez77". */
const BETWEEN_LETTERS = /[^\p{L}\p{N}\p{M}]+/gu;
const ACCENTS = /[\u0300-\u036f]/g;

/**
 * True if a password contains the whole name, the e-mail or the part of it before the "@" of a person, or if it is one word
 * of the name with fewer than eight other letters and digits (OWASP ASVS 6.2.11). A passphrase may contain such a word.
 * Anything below four letters is ignored.
 * @param password any text; false for one that is too long for a password
 */
export function isPersonalPassword(password: string, { name, email }: Person): boolean {
  if (isBeyondPasswords(password)) {
    return false;
  }
  const text = fold(password);
  const letters = lettersOf(text);
  // The whole e-mail contains its local part, unless that is too short.
  const ofEmail = [email, email.slice(0, email.lastIndexOf('@'))].map(fold).filter(isLongEnough);
  const wholeName = lettersOf(fold(name));
  if (
    ofEmail.some((part) => text.includes(part)) ||
    (isLongEnough(wholeName) && letters.includes(wholeName))
  ) {
    return true;
  }
  const words = wordsOf(name).filter((word) => letters.includes(word));
  const others = words.reduce((rest, word) => rest.replaceAll(word, ''), letters);
  return words.length > 0 && [...others].length < MIN_OTHERS;
}

const isLongEnough = (text: string): boolean => text.length >= MIN_LETTERS;

/** The words of a name, the longest first: one may contain another. */
const wordsOf = (name: string): string[] =>
  fold(name)
    .split(BETWEEN_LETTERS)
    .filter(isLongEnough)
    .toSorted((a, b) => b.length - a.length);

const lettersOf = (folded: string): string => folded.replace(BETWEEN_LETTERS, '');

/** Without case and accents. The time to decompose grows with the square of the length, so the text is cut first. */
const fold = (text: string): string =>
  text.slice(0, MAX_CODE_UNITS).normalize('NFKD').replace(ACCENTS, '').toLowerCase();
