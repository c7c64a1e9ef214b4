import type { Texts } from '../language/en.ts';
import { isPersonal, type Person } from './personal-password.ts';

export type { Person };

/** What to say about a password while it is typed. */
export interface Advice {
  /** 1: the gateway will refuse it, or it is easy to guess. 4: strong. */
  level: 1 | 2 | 3 | 4;
  /** The name of its text. */
  name: keyof Texts['advice'];
  /** What the text counts: missing characters, or bytes. */
  limit?: number;
}

/** The gateway's limit, which is that of bcrypt. */
const MAX_BYTES = 72;
/** In characters that a guesser has to try. */
const FAIR = 8;
const GOOD = 12;
const STRONG = 16;

const weak = (name: Advice['name'], limit = 0): Advice => ({ level: 1, name, limit });

/**
 * Judges a new password by the rules of the gateway, and then by its length.
 * @param common the most common passwords, in lower case
 * @param minimum PASSWORD_MIN_CHARACTERS
 * @returns undefined for an empty password
 */
export function adviceOn(
  password: string,
  person: Person,
  common: ReadonlySet<string>,
  minimum: number,
): Advice | undefined {
  const characters = [...password];
  if (characters.length === 0) {
    return undefined;
  }
  if (characters.length < minimum) {
    return weak('short', minimum - characters.length);
  }
  if (new TextEncoder().encode(password).length > MAX_BYTES) {
    return weak('long', MAX_BYTES);
  }
  if (isCommon(password, common)) {
    return weak('common');
  }
  if (isPersonal(password, person)) {
    return weak('personal');
  }
  return byLength(unforeseen(characters));
}

/** Digits and signs at the end make a common password hardly better. */
const isCommon = (password: string, common: ReadonlySet<string>): boolean => {
  const text = password.toLowerCase();
  return common.has(text) || common.has(text.replace(/[^\p{L}]+$/u, ''));
};

function byLength(length: number): Advice {
  if (length < FAIR) {
    return weak('repeated');
  }
  if (length < GOOD) {
    return { level: 2, name: 'fair' };
  }
  return length < STRONG ? { level: 3, name: 'good' } : { level: 4, name: 'strong' };
}

/** How many characters do not just go on as those before them, like the last ones of `aaaa` and `1234`. */
function unforeseen(characters: readonly string[]): number {
  const codes = characters.map((character) => character.codePointAt(0) ?? 0);
  const steps = codes.map((code, index) => code - (codes[index - 1] ?? 0));
  return steps.filter((step, index) => index === 0 || step !== steps[index - 1] || Math.abs(step) > 1).length;
}
