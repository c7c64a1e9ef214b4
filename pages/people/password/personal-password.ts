/** Whose password it is. */
export interface Person {
  name: string;
  email: string;
}

/** Shorter words are in many honest passwords by chance. */
const MIN_LETTERS = 4;
/** So many other letters and digits make a passphrase of a word of the name. */
const MIN_OTHERS = 8;
/** More than a password or a name has. The time to decompose a text grows with the square of its length. */
const MAX_CODE_UNITS = 510;

/** What is between the letters of a name does not count: "José Núñez" is in "jose_nunez77". */
const BETWEEN_LETTERS = /[^\p{L}\p{N}\p{M}]+/gu;

/**
 * True if a password contains the whole name, the e-mail or the part of it before the "@", or if it is little more than a word
 * of the name. The gateway has the same rule.
 */
export function isPersonal(password: string, { name, email }: Person): boolean {
  const text = fold(password);
  const letters = lettersOf(text);
  const [local = ''] = email.split(/@(?!.*@)/);
  const wholeName = lettersOf(fold(name));
  const hasName = isLongEnough(wholeName) && letters.includes(wholeName);
  const hasEmail = [email, local].map(fold).some((part) => isLongEnough(part) && text.includes(part));
  return hasName || hasEmail || isMostlyWords(name, letters);
}

function isMostlyWords(name: string, letters: string): boolean {
  const words = fold(name).split(BETWEEN_LETTERS).filter(isLongEnough);
  // The longest first: one may contain another.
  const found = words.filter((word) => letters.includes(word)).sort((a, b) => b.length - a.length);
  const others = found.reduce((rest, word) => rest.replaceAll(word, ''), letters);
  return found.length > 0 && [...others].length < MIN_OTHERS;
}

const isLongEnough = (text: string): boolean => text.length >= MIN_LETTERS;

const lettersOf = (text: string): string => text.replace(BETWEEN_LETTERS, '');

/** Without case and accents. */
const fold = (text: string): string =>
  text
    .slice(0, MAX_CODE_UNITS)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase();
