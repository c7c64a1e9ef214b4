import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { broken } from '../../system/error-details.ts';
import { ValidationError } from '../../system/errors.ts';

/*
 * The rules of a password: its length and form, and what is asked when it is chosen, never at a login: whether many people use
 * it, and whether it is made of the person's own name or e-mail.
 */

/** bcrypt ignores what follows byte 72; a longer password is refused at registration and never matches at login. */
export const PASSWORD_MAX_BYTES = 72;

/**
 * The longest text that can be a password, in UTF-16 code units. Composing may shorten a text, but a text that composes to
 * 72 bytes is never longer than this: decomposing makes at most four code units of one (Unicode FAQ "Normalization",
 * "maximum expansion factor" of NFD in UTF-16), and each code unit takes at least one byte of UTF-8.
 */
const PASSWORD_MAX_CODE_UNITS = 4 * PASSWORD_MAX_BYTES;

/**
 * True if a text is too long for any password. Call it before {@link normalizePassword}: the time to compose grows with the
 * square of a run of combining marks, 3 s for 100 KB.
 */
export const isBeyondPasswords = (text: string): boolean => text.length > PASSWORD_MAX_CODE_UNITS;

/** The form in which passwords are measured, hashed and compared. It is the same for all keyboards. */
export const normalizePassword = (password: string): string => password.normalize('NFC');

/** Bytes of UTF-8 that bcrypt gets of a password; Infinity for a text that is too long for any password. */
export const passwordBytes = (text: string): number =>
  isBeyondPasswords(text) ? Number.POSITIVE_INFINITY : Buffer.byteLength(normalizePassword(text));

/** Code points of a password (OWASP ASVS 6.2.1 counts characters); Infinity for a text that is too long for any password. */
export const passwordCharacters = (text: string): number =>
  isBeyondPasswords(text) ? Number.POSITIVE_INFINITY : [...normalizePassword(text)].length;

/** What is asked about a password when it is chosen. */
export interface PasswordCheck {
  /** True if many people use this password. */
  isCommon(password: string): Promise<boolean>;
  /** True if the password is made of the person's own name or e-mail. */
  isPersonal(password: string, person: Person): boolean;
}

/** The setting PASSWORD_CHECK. */
export type PasswordCheckKind = 'common' | 'off';

/** The check that a setting asks for. With `off`, every password passes. */
export function createPasswordCheck(kind: PasswordCheckKind, minCharacters: number): PasswordCheck {
  if (kind === 'off') {
    return { isCommon: async () => false, isPersonal: () => false };
  }
  const common = new CommonPasswords(minCharacters);
  return { isCommon: (password) => common.include(password), isPersonal: isPersonalPassword };
}

/** The rule for a password that contains its person's name or e-mail, in Laravel's style. Laravel has no such rule. */
export const personalPasswordText = (label: string): string =>
  `The ${label} field must not contain your name or email address.`;

/**
 * Refuses a personal password where the person is known only to the service, as when a password is changed or reset. At a
 * registration, the input is validated with the same rule.
 * @param field the name of the field in the input class, for example `newPassword`
 * @param label the field as the text calls it, for example `new password`
 * @throws ValidationError on the field
 */
export function refusePersonalPassword(
  check: PasswordCheck,
  password: string,
  person: Person,
  { field, label }: { field: string; label: string },
): void {
  if (check.isPersonal(password, person)) {
    throw new ValidationError({ [field]: broken('personal', personalPasswordText(label)) });
  }
}

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

/** No password of the list has more characters, so most passphrases are never looked up (a test reads the list). */
export const LONGEST_COMMON_PASSWORD = 20;

/** The passwords that people choose most, and that attackers try first (OWASP ASVS 6.2.4). */
export class CommonPasswords {
  #list: Promise<ReadonlySet<string>> | undefined;

  /** @param minCharacters shorter passwords are refused anyway, and not kept in memory */
  constructor(private readonly minCharacters: number) {}

  /**
   * True if a password is in the list, in upper or lower case. The list is loaded at the first password that may be in it.
   * @throws if the list cannot be loaded. The next call tries again
   */
  async include(password: string): Promise<boolean> {
    // Bounds the length before the password is composed, which takes quadratic time.
    if (password.length > LONGEST_COMMON_PASSWORD || passwordCharacters(password) < this.minCharacters) {
      return false;
    }
    return (await this.#load()).has(normalizePassword(password).toLowerCase());
  }

  #load(): Promise<ReadonlySet<string>> {
    this.#list ??= loadList(this.minCharacters).catch((error: unknown) => {
      this.#list = undefined;
      throw error;
    });
    return this.#list;
  }
}

const LIST = '@zxcvbn-ts/language-common';

/**
 * Unpacks the list, and sends its passwords of at least `min` characters. It is a text, because a file of its own would have
 * to be compiled before a test could start it.
 */
const UNPACK = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { dictionary } = require(workerData.path);
  const passwords = dictionary['passwords-common'].filter(({ length }) => length >= workerData.min);
  parentPort.postMessage(passwords.join('\\n'));
`;

/**
 * Loads the list in a thread of its own: its package has 49,000 passwords, and unpacks them in 45 ms. Only a text with those
 * that are needed reaches this thread, and the memory of the rest is free again.
 */
async function loadList(min: number): Promise<ReadonlySet<string>> {
  const path = createRequire(import.meta.url).resolve(LIST);
  const worker = new Worker(UNPACK, { eval: true, workerData: { path, min }, env: {} });
  worker.unref();
  try {
    const [text] = await Promise.race([once(worker, 'message'), endOf(worker)]);
    return new Set(text.split('\n'));
  } finally {
    await worker.terminate();
  }
}

/** A thread that ends without its message, for example for lack of memory, must not leave a request waiting. */
async function endOf(worker: Worker): Promise<never> {
  await once(worker, 'exit');
  throw new Error('the list of common passwords was not loaded');
}
