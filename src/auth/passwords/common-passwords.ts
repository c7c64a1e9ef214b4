import { once } from 'node:events';
import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { normalizePassword, passwordCharacters } from './password-text.ts';

/** No password of the list has more characters, so most passphrases are never looked up (a test reads the list). */
export const LONGEST_COMMON_PASSWORD = 20;

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
