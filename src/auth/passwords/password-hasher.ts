import bcrypt from 'bcrypt';
import type { Clock } from '../../system/clock.ts';
import { isBeyondPasswords, normalizePassword, PASSWORD_MAX_BYTES, passwordBytes } from './password-text.ts';
import { type Requester, WorkQueue } from './work-queue.ts';

/** One address has at most a hundred logins under way (`RATE_LIMIT_ADDRESS_LOGINS_PER_MINUTE`), so ten cannot fill it. */
const MAX_WAITING = 1024;
const MAX_WAIT_MILLIS = 1_500;

/** With a cost from 4 to 20. A hash of a higher cost would keep a core busy for minutes, so it counts as corrupt. */
const BCRYPT_HASH = /^\$2[aby]\$(0[4-9]|1\d|20)\$[./A-Za-z0-9]{53}$/;
/** Salt and digest of no password. With a cost before them, they are a hash that no password matches. */
const DUMMY_SALT = '.'.repeat(22);
const DUMMY_DIGEST = '.'.repeat(31);

interface VerifyOptions {
  requester?: Requester | undefined;
  accept?: () => Promise<void>;
}

/** bcrypt with a limited number of running and waiting jobs, so that a flood of logins does not stop the other requests. */
export class PasswordHasher {
  readonly #queue: WorkQueue;
  /** The highest cost seen so far. Every failed comparison costs as much. */
  #fullCost: number;

  /**
   * @param cost bcrypt's cost, the binary logarithm of its rounds
   * @param concurrency how many jobs run at a time
   * @param clock for the time that a job may wait
   * @param onBegin called when a job starts, with the milliseconds that it has waited
   */
  constructor(
    private readonly cost: number,
    concurrency: number,
    clock: Clock,
    onBegin?: (waitMillis: number) => void,
  ) {
    this.#fullCost = cost;
    this.#queue = new WorkQueue({
      concurrency,
      maxWaiting: MAX_WAITING,
      maxWaitMillis: MAX_WAIT_MILLIS,
      clock,
      onBegin,
    });
  }

  /** How many jobs are running, and how many are waiting. */
  get depth(): { running: number; waiting: number } {
    return this.#queue.depth;
  }

  /** True if the next job would be rejected. */
  get isFull(): boolean {
    return this.#queue.isFull;
  }

  /**
   * Hashes a password that has passed validation.
   * @param requester if it goes away, a waiting job is dropped
   * @throws ServiceUnavailableError when too many jobs are waiting; the reason of `requester.gone`
   */
  hash(password: string, requester?: Requester): Promise<string> {
    return this.#queue.run(() => bcrypt.hash(normalizePassword(password), this.cost), requester);
  }

  /**
   * Compares a password with a stored hash. There is always exactly one bcrypt comparison, also for a missing or corrupt
   * hash, and every failed login does the same work for every cost of the hash. So the time does not tell whether an
   * account exists, or whether the password was right (OWASP ASVS 6.3.8). Hashes with a higher cost than the setting are
   * the exception until the first of them has been seen.
   * @param storedHash `$2a$`, `$2b$` or PHP's `$2y$`; undefined if there is no account
   * @param options `requester`: if it goes away, a waiting job is dropped. `accept`: called if the password is right.
   *   If it throws, as for a disabled account, the refusal costs as much as any other failure
   * @returns true when the password is right
   * @throws ServiceUnavailableError when too many jobs are waiting; the reason of `requester.gone`; what `accept` throws
   */
  verify(
    password: string,
    storedHash: string | undefined,
    { requester, accept = async () => {} }: VerifyOptions = {},
  ): Promise<boolean> {
    const isUsable = storedHash !== undefined && BCRYPT_HASH.test(storedHash);
    const hash = isUsable ? toNodePrefix(storedHash) : saltOf(this.cost) + DUMMY_DIGEST;
    const cost = costOf(hash);
    // A text that is too long for any password is not composed. bcrypt takes as long for any other text.
    const candidate = isBeyondPasswords(password) ? '' : normalizePassword(password);
    return this.#queue.run(async () => {
      const matches = await bcrypt.compare(candidate, hash);
      try {
        if (matches && isUsable && isSeenWhole(password)) {
          await accept();
          return true;
        }
      } catch (refusal) {
        await this.#makeUpFor(cost);
        throw refusal;
      }
      await this.#makeUpFor(cost);
      return false;
    }, requester);
  }

  /** Does the work that a cheaper comparison saved: 2^c + 2^(c+1) + … + 2^(full-1) rounds are 2^full - 2^c. */
  async #makeUpFor(paidCost: number): Promise<void> {
    this.#fullCost = Math.max(this.#fullCost, paidCost);
    for (let cost = paidCost; cost < this.#fullCost; cost += 1) {
      await bcrypt.hash('', saltOf(cost));
    }
  }

  /** True if a hash that has just matched is weaker than new ones and should be replaced. */
  needsUpgrade(storedHash: string): boolean {
    return costOf(storedHash) < this.cost;
  }
}

const costOf = (hash: string): number => Number(BCRYPT_HASH.exec(hash)?.[1]);

/** A salt for a hash whose result is not used. */
const saltOf = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$${DUMMY_SALT}`;

/** The bcrypt package answers false to PHP's `$2y$`, although it is the same algorithm as `$2b$`. */
const toNodePrefix = (hash: string): string => hash.replace(/^\$2y\$/, '$2b$');

/** False if bcrypt saw another password than was sent: cut short, or with U+FFFD for half a surrogate pair. */
const isSeenWhole = (password: string): boolean =>
  passwordBytes(password) <= PASSWORD_MAX_BYTES && !password.includes('\0') && password.isWellFormed();
