import { isPersonal, type Person } from './personal-password.ts';

export type { Person };

/** What to say about a password while it is typed. */
export interface Advice {
  /** 1: the gateway will refuse it, or it is easy to guess. 4: strong. */
  level: 1 | 2 | 3 | 4;
  text: string;
}

/** The gateway's default for PASSWORD_MIN_BYTES, and the limit of bcrypt. */
const MIN_CHARACTERS = 8;
const MAX_BYTES = 72;
/** In characters that a guesser has to try. */
const GOOD = 12;
const STRONG = 16;

const weak = (text: string): Advice => ({ level: 1, text });

/**
 * Judges a new password by the rules of the gateway, and then by its length.
 * @param common the most common passwords, in lower case
 * @returns undefined for an empty password
 */
export function adviceOn(password: string, person: Person, common: ReadonlySet<string>): Advice | undefined {
  const characters = [...password];
  if (characters.length === 0) {
    return undefined;
  }
  if (characters.length < MIN_CHARACTERS) {
    return weak(`Too short: ${MIN_CHARACTERS - characters.length} more needed.`);
  }
  if (new TextEncoder().encode(password).length > MAX_BYTES) {
    return weak(`Too long: it may have up to ${MAX_BYTES} bytes.`);
  }
  if (isCommon(password, common)) {
    return weak('Too common: attackers try this one first.');
  }
  if (isPersonal(password, person)) {
    return weak('Easy to guess: it contains your name or e-mail.');
  }
  return byLength(unforeseen(characters));
}

/** Digits and signs at the end make a common password hardly better. */
const isCommon = (password: string, common: ReadonlySet<string>): boolean => {
  const text = password.toLowerCase();
  return common.has(text) || common.has(text.replace(/[^\p{L}]+$/u, ''));
};

function byLength(length: number): Advice {
  if (length < MIN_CHARACTERS) {
    return weak('Easy to guess: it repeats itself, or follows a sequence.');
  }
  if (length < GOOD) {
    return { level: 2, text: 'Fair. A longer one is stronger.' };
  }
  return length < STRONG ? { level: 3, text: 'Good.' } : { level: 4, text: 'Strong.' };
}

/** How many characters do not just go on as those before them, like the last ones of `aaaa` and `1234`. */
function unforeseen(characters: readonly string[]): number {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  const steps = codes.map((code, index) => code - (codes[index - 1] ?? 0));
  return steps.filter((step, index) => index === 0 || step !== steps[index - 1] || Math.abs(step) > 1).length;
}
