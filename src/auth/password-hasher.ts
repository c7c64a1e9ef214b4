import { availableParallelism } from 'node:os';
import bcrypt from 'bcrypt';
import { WorkQueue } from './work-queue.ts';

/** bcrypt ignores what follows byte 72; a longer password is refused at registration and never matches at login. */
export const PASSWORD_MAX_BYTES = 72;

/** libuv runs bcrypt and file access on the same 4 threads: at least one must stay free for files. */
const CONCURRENCY = Math.min(availableParallelism(), 3);
const MAX_WAITING = 256;
const MAX_WAIT_MILLIS = 1_500;

const BCRYPT_HASH = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/;
/** Salt and digest of no password: with a cost before it, a hash that takes as long as any and matches nothing. */
const DUMMY_SALT_AND_DIGEST = '.'.repeat(53);

/** The form in which passwords are measured, hashed and compared: one and the same however the keyboard composed it. */
export const normalizePassword = (password: string): string => password.normalize('NFC');

/** Bytes of UTF-8 that bcrypt would see of a password. */
export const passwordBytes = (password: string): number => Buffer.byteLength(normalizePassword(password));

/** bcrypt, bounded: as many at a time as there are cores, so that a flood of logins leaves the rest of the service alone. */
export class PasswordHasher {
  readonly #queue = new WorkQueue(CONCURRENCY, MAX_WAITING, MAX_WAIT_MILLIS);

  /** @param cost bcrypt's cost, the binary logarithm of its rounds */
  constructor(private readonly cost: number) {}

  /**
   * Hashes a password that has passed validation.
   * @throws ServiceUnavailableError when too many are waiting
   */
  hash(password: string): Promise<string> {
    return this.#queue.run(() => bcrypt.hash(normalizePassword(password), this.cost));
  }

  /**
   * Compares a password with a stored hash. Exactly one bcrypt comparison is made whatever the hash is, a missing or
   * corrupt one included, so that the time taken does not tell whether an account exists.
   * @param storedHash `$2a$`, `$2b$` or PHP's `$2y$`, or undefined where there is no account
   * @throws ServiceUnavailableError when too many are waiting
   */
  async verify(password: string, storedHash: string | undefined): Promise<boolean> {
    const isUsable = storedHash !== undefined && BCRYPT_HASH.test(storedHash);
    const hash = isUsable ? toNodePrefix(storedHash) : `$2b$${this.#costDigits}$${DUMMY_SALT_AND_DIGEST}`;
    const matches = await this.#queue.run(() => bcrypt.compare(normalizePassword(password), hash));
    return matches && isUsable && isSeenWhole(password);
  }

  /** Whether a hash that has just matched is weaker than today's and should be made anew. */
  needsUpgrade(storedHash: string): boolean {
    return Number(BCRYPT_HASH.exec(storedHash)?.[1]) < this.cost;
  }

  get #costDigits(): string {
    return String(this.cost).padStart(2, '0');
  }
}

/** bcrypt answers false to PHP's `$2y$` without looking; it is the same algorithm as `$2b$`. */
const toNodePrefix = (hash: string): string => hash.replace(/^\$2y\$/, '$2b$');

/** False where bcrypt has seen another password than was sent: cut short, or with U+FFFD for half a surrogate pair. */
const isSeenWhole = (password: string): boolean =>
  passwordBytes(password) <= PASSWORD_MAX_BYTES && !password.includes('\0') && password.isWellFormed();
