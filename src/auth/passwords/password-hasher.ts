import bcrypt from 'bcrypt';
import type { Clock } from '../../system/clock.ts';
import {
  HASH_QUEUE_LIMITS,
  HashQueue,
  type HashQueueLimits,
  type JobObservers,
  type Requester,
} from './hash-queue.ts';
import { normalizePassword, PASSWORD_MAX_BYTES, passwordBytes } from './password-rules.ts';
import {
  type BcryptHash,
  canBePassword,
  compareWith,
  cutForBcrypt,
  dummyBcryptHash,
  formsOf,
  isTakenFor,
  type PasswordForm,
  parseStoredHash,
  type StoredHash,
  spendArgon2,
  spendBcrypt,
} from './stored-hash.ts';

interface VerifyOptions {
  requester?: Requester | undefined;
  accept?: () => Promise<void>;
}

/** A right password, and how it matched. */
export interface PasswordMatch {
  password: string;
  hash: StoredHash;
  /** The form that matched. */
  form: PasswordForm;
}

/** Password hashes, with a limited number of running and waiting jobs, so that a flood of logins does not stop the other requests. */
export class PasswordHasher {
  readonly #queue: HashQueue;
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
    this.#queue = new HashQueue({ ...limits, concurrency, clock, ...observers });
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
   * @param requester if it disconnects, a waiting job is dropped
   * @throws ServiceUnavailableError when too many jobs are waiting; the reason of `requester.gone`
   */
  hash(password: string, requester?: Requester): Promise<string> {
    return this.#queue.run(() => bcrypt.hash(normalizePassword(password), this.cost), requester);
  }

  /**
   * Compares a password with a stored hash (docs/contract.md, "Passwords"). Every failure does the same work, also for a
   * missing or corrupt hash: see {@link FailureWork}.
   * @param storedHash bcrypt or argon2; undefined if there is no account
   * @param options `requester`: if it disconnects, a waiting job is dropped. `accept`: called if the password is right.
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
    // A hash of the gateway takes one form: that one first, so that a success does not wait for the other.
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

/*
 * Why a failed login takes the same time for every e-mail (OWASP ASVS 6.3.8, WSTG-IDNT-04)
 *
 * The time of a comparison depends on the stored hash: its algorithm, its cost, and whether there is one. So a guesser could
 * find out who has an account, and whose comes from the legacy service, which hashed more cheaply. That is also a list of the
 * hashes that are worth stealing. Therefore every failed login does the work of all kinds of hashes that exist:
 *
 * - bcrypt at the highest cost. A comparison of cost c is followed by the missing rounds: 2^c + 2^(c+1) + … + 2^(full-1) are
 *   2^full - 2^c.
 * - argon2 at all settings of which there are hashes. Its work cannot be made up for in parts, because the time of a pass
 *   depends on the memory. A legacy service has one setting, rarely two.
 *
 * And all of it twice if the text as typed is not in NFC: a hash of PHP is compared with both forms. That depends on the
 * text alone, which the guesser knows, and so it is done for every account.
 *
 * Only hashes show which kinds exist, and to search all accounts for them at each start would take too long. A kind is
 * learned when the first login meets it. So the first guess at such an account shows its kind, once after a start. A caller
 * cannot make this costlier than its accounts are: hashes come only from the database, and costly ones count as corrupt.
 * Once the last argon2 hash is upgraded, a restart ends the extra work. All of it is done in one slot of the queue, so the
 * memory of argon2 is needed once for each slot, and other requests keep their share of the processor.
 *
 * A success is as fast as its own hash: its caller knows anyway that there is an account.
 */

/** With more settings than this, the later ones can be distinguished: each takes about 0.1 s of every failed login. */
const MAX_ARGON2_SETTINGS = 4;

/** The work that every failed login does. */
class FailureWork {
  /** The highest cost of bcrypt so far. */
  #fullCost: number;
  /** All settings of argon2 so far. */
  readonly #argon2Settings = new Set<string>();

  /** @param todaysCost of new bcrypt hashes */
  constructor(private readonly todaysCost: number) {
    this.#fullCost = todaysCost;
  }

  /** Learns the kind of a hash that is compared with. */
  learn(hash: StoredHash): void {
    if (hash.kind === 'bcrypt') {
      this.#fullCost = Math.max(this.#fullCost, hash.cost);
    } else if (this.#argon2Settings.size < MAX_ARGON2_SETTINGS) {
      this.#argon2Settings.add(hash.settings);
    }
  }

  /** Does the work that one comparison with a hash has saved. */
  async makeUpFor(hash: StoredHash): Promise<void> {
    if (hash.kind === 'argon2') {
      await spendBcrypt(this.todaysCost);
    }
    const paidCost = hash.kind === 'argon2' ? this.todaysCost : hash.cost;
    for (let cost = paidCost; cost < this.#fullCost; cost += 1) {
      await spendBcrypt(cost);
    }
    for (const settings of this.#argon2Settings) {
      if (hash.kind !== 'argon2' || hash.settings !== settings) {
        await spendArgon2(settings);
      }
    }
  }
}

/** The bcrypt hash that should replace a stored one. */
interface HashUpgrade {
  /** `$2b$` for a hash of the gateway, `$2y$` for one whose password keeps the rules of PHP. */
  prefix: '$2b$' | '$2y$';
  bytes: Buffer;
  cost: number;
}

/**
 * What should replace the hash that a password has just matched. Afterwards every text that logged in still does.
 * @param todaysCost the cost of new hashes
 * @returns undefined if the hash stays
 */
function upgradeOf({ password, hash, form }: PasswordMatch, todaysCost: number): HashUpgrade | undefined {
  const fitsGateway = passwordBytes(password) <= PASSWORD_MAX_BYTES;
  const asGateway = (cost: number): HashUpgrade => ({
    prefix: '$2b$',
    bytes: Buffer.from(normalizePassword(password)),
    cost,
  });
  if (hash.kind === 'argon2') {
    // bcrypt cannot hash the whole of a longer password.
    return fitsGateway ? asGateway(todaysCost) : undefined;
  }
  const isWeak = hash.cost < todaysCost;
  if (fitsGateway && isKnownWhole(hash, form)) {
    const isOtherForm = !form.isComposed;
    return isWeak || isOtherForm ? asGateway(Math.max(todaysCost, hash.cost)) : undefined;
  }
  return isWeak ? { prefix: '$2y$', bytes: cutForBcrypt(form.bytes), cost: todaysCost } : undefined;
}

/** PHP read at most 72 bytes. If it may have read so many, the password may be longer, with bytes that nobody has checked. */
const isKnownWhole = ({ madeBy }: BcryptHash, { bytes }: PasswordForm): boolean =>
  madeBy === 'gateway' || bytes.length < PASSWORD_MAX_BYTES;
