import bcrypt from 'bcrypt';
import type { Clock } from '../../system/clock.ts';
import { dummyBcryptHash } from './bcrypt-hash.ts';
import { FailureWork } from './failure-work.ts';
import { HASH_QUEUE_LIMITS, type HashQueueLimits } from './hash-queue-limits.ts';
import { type PasswordMatch, upgradeOf } from './hash-upgrade.ts';
import { canBePassword, formsOf } from './password-forms.ts';
import { normalizePassword } from './password-text.ts';
import { compareWith, isTakenFor, parseStoredHash, type StoredHash } from './stored-hash.ts';
import { type JobObservers, type Requester, WorkQueue } from './work-queue.ts';

interface VerifyOptions {
  requester?: Requester | undefined;
  accept?: () => Promise<void>;
}

/** Password hashes, with a limited number of running and waiting jobs, so that a flood of logins does not stop the other requests. */
export class PasswordHasher {
  readonly #queue: WorkQueue;
  readonly #failureWork: FailureWork;

  /**
   * @param cost bcrypt's cost, the binary logarithm of its rounds
   * @param concurrency how many jobs run at a time
   * @param clock for the time that a job may wait
   * @param observers follow the jobs
   */
  constructor(
    private readonly cost: number,
    concurrency: number,
    clock: Clock,
    observers: JobObservers = {},
    limits: HashQueueLimits = HASH_QUEUE_LIMITS,
  ) {
    this.#failureWork = new FailureWork(cost);
    this.#queue = new WorkQueue({ ...limits, concurrency, clock, ...observers });
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
   * Compares a password with a stored hash (docs/contract.md, "Passwords"). Every failure does the same work, also for a
   * missing or corrupt hash: see failure-work.ts.
   * @param storedHash bcrypt or argon2; undefined if there is no account
   * @param options `requester`: if it goes away, a waiting job is dropped. `accept`: called if the password is right.
   *   If it throws, as for a disabled account, the refusal costs as much as any other failure
   * @returns undefined when the password is wrong
   * @throws ServiceUnavailableError when too many jobs are waiting; the reason of `requester.gone`; what `accept` throws
   */
  verify(
    password: string,
    storedHash: string | undefined,
    { requester, accept = async () => {} }: VerifyOptions = {},
  ): Promise<PasswordMatch | undefined> {
    const hash = parseStoredHash(storedHash ?? '') ?? dummyBcryptHash(this.cost);
    return this.#queue.run(() => this.#compare(password, hash, accept), requester);
  }

  async #compare(
    password: string,
    hash: StoredHash,
    accept: () => Promise<void>,
  ): Promise<PasswordMatch | undefined> {
    const forms = formsOf(password);
    // Ours takes one form: first, so that a success does not wait for the other.
    const uncompared = forms.toSorted((a, b) => Number(isTakenFor(hash, b)) - Number(isTakenFor(hash, a)));
    const doRestOfWork = async () => {
      for (const form of uncompared) {
        await compareWith(hash, form);
      }
      for (const _ of forms) {
        await this.#failureWork.makeUpFor(hash);
      }
    };
    try {
      for (let form = uncompared.shift(); form; form = uncompared.shift()) {
        const isMatch = await compareWith(hash, form);
        this.#failureWork.learn(hash);
        if (isMatch && isTakenFor(hash, form) && canBePassword(password)) {
          await accept();
          return { password, hash, form };
        }
      }
    } catch (refusal) {
      await doRestOfWork();
      throw refusal;
    }
    await doRestOfWork();
    return undefined;
  }

  /**
   * Makes the hash that should replace the one that has just matched, for example because it is weaker than new ones.
   * @returns undefined if the hash stays
   * @throws ServiceUnavailableError when too many jobs are waiting; the reason of `requester.gone`
   */
  async upgrade(match: PasswordMatch, requester?: Requester): Promise<string | undefined> {
    const upgrade = upgradeOf(match, this.cost);
    if (!upgrade) {
      return undefined;
    }
    const { bytes, cost, prefix } = upgrade;
    const hash = await this.#queue.run(() => bcrypt.hash(bytes, cost), requester);
    return hash.replace(/^\$2b\$/, () => prefix);
  }
}
