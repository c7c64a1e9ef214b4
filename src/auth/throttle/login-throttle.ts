import { createHash } from 'node:crypto';
import { InvalidCredentialsError, TooManyAttemptsError } from '../../errors/errors.ts';
import { emailKey } from '../../models/account.model.ts';
import type { WindowCounts } from '../../models/attempt-count.model.ts';
import type { AttemptCounter, CreateCounter, Look } from './attempt-counters.ts';
import { longestOf, type Refusal, type WindowLimits } from './attempt-windows.ts';
import { networksOf, siteOf } from './networks.ts';

/** Attempts per minute; undefined means no limit. The hour and the day have multiples of these, see below. */
export interface ThrottleLimits {
  /** Failed logins of one e-mail from one address. */
  loginsPerMinute: number | undefined;
  /** Failed logins from one address at all e-mails: an attacker who tries one password on many accounts. */
  addressLoginsPerMinute: number | undefined;
  /** Failed logins of one e-mail from all addresses: an attacker with many addresses. */
  emailLoginsPerMinute: number | undefined;
  /** Registrations from one address, and documents that one doctor submits again. */
  registrationsPerMinute: number | undefined;
  /** Wrong credentials of services from one address. */
  serviceFailuresPerMinute: number | undefined;
}

/** The keys that a login attempt is counted by. */
export interface LoginAttempt {
  email: string;
  /** The caller's address. */
  ip: string;
}

/** True if a login to the e-mail has succeeded from this address before. An unknown e-mail takes the same work. */
export type IsKnownPlace = (attempt: LoginAttempt) => Promise<boolean>;

/** Limits of an account in the hour and the day, as multiples of the minute. SECURITY.md has the numbers. */
const GUESSES = { hour: 2, day: 3 };
/** Limits of a network. Many people may share it, so they grow faster. */
const NETWORK = { hour: 5, day: 10 };
/** Limits of the networks around an address, as multiples of its own. */
const LINE_SHARE = 2;
const BLOCK_SHARE = 10;

/** Exports of an account's data in a minute. Each reads thousands of records. */
const EXPORTS_PER_MINUTE = 6;

interface Count {
  counter: AttemptCounter;
  key: string;
}

interface Looked extends Count {
  look: Look;
}

/** A key at which an attempt was counted. */
interface Counted extends Count {
  counts: WindowCounts;
}

/** A login attempt that counts as failed until its outcome is known. */
export interface CountedLogin {
  /** The password was right. The earlier failures of this pair were typing errors. */
  succeeded(): Promise<void>;
  /**
   * Keeps the count of a wrong guess. After any other error the attempt is given back, because nothing was guessed. After
   * {@link succeeded} it does nothing.
   */
  failed(error: unknown): Promise<void>;
}

/** An attempt that stays counted unless it is given back. */
export interface CountedAct {
  /** Takes the attempt back, because it was no guess. If the database is away, it stays counted, for a day at most. */
  giveBack(): Promise<void>;
}

/** Counts attempts in the service layer, so that both doors, aliases and batches count alike (OWASP ASVS 6.3.1). */
export class LoginThrottle {
  readonly #byAddress: AttemptCounter | undefined;
  readonly #byLine: AttemptCounter | undefined;
  readonly #byBlock: AttemptCounter | undefined;
  readonly #byPair: AttemptCounter | undefined;
  readonly #byKnownPair: AttemptCounter | undefined;
  readonly #byEmail: AttemptCounter | undefined;
  readonly #registrations: AttemptCounter | undefined;
  readonly #resubmissions: AttemptCounter | undefined;
  readonly #serviceFailures: AttemptCounter | undefined;
  readonly #exports: AttemptCounter | undefined;
  readonly #passwordChanges: AttemptCounter | undefined;
  readonly #resetRequests: AttemptCounter | undefined;

  /**
   * @param createCounter where the counts are kept
   * @param isKnownPlace finds the attempts that strangers' failures must not hold up
   */
  constructor(
    limits: ThrottleLimits,
    createCounter: CreateCounter,
    private readonly isKnownPlace: IsKnownPlace,
  ) {
    const create = (name: string, perMinute: number | undefined, growth: WindowLimits, share = 1) =>
      perMinute === undefined ? undefined : createCounter(name, grown(perMinute * share, growth));
    this.#byAddress = create('address', limits.addressLoginsPerMinute, NETWORK);
    this.#byLine = create('line', limits.addressLoginsPerMinute, NETWORK, LINE_SHARE);
    this.#byBlock = create('block', limits.addressLoginsPerMinute, NETWORK, BLOCK_SHARE);
    this.#byPair = create('pair', limits.loginsPerMinute, GUESSES);
    this.#byKnownPair = create('known-pair', limits.loginsPerMinute, GUESSES);
    this.#byEmail = create('email', limits.emailLoginsPerMinute, GUESSES);
    this.#registrations = create('registrations', limits.registrationsPerMinute, {});
    this.#resubmissions = create('resubmissions', limits.registrationsPerMinute, {});
    this.#serviceFailures = create('service-failures', limits.serviceFailuresPerMinute, {});
    // Each of these sends a mail, and nobody has proved that an account's e-mail is theirs.
    this.#passwordChanges = create('password-changes', limits.loginsPerMinute, GUESSES);
    this.#resetRequests = create('reset-requests', limits.loginsPerMinute, GUESSES);
    // Not a setting. It is off if all limits are.
    const isOff = Object.values(limits).every((limit) => limit === undefined);
    this.#exports = create('exports', isOff ? undefined : EXPORTS_PER_MINUTE, {});
  }

  /**
   * Counts a login as failed before it is tried, so that simultaneous guesses cannot exceed a limit together.
   * @returns the counted attempt. The caller must report its outcome
   * @throws TooManyAttemptsError
   */
  async countLogin(attempt: LoginAttempt): Promise<CountedLogin> {
    const counted = await this.#count(attempt);
    let hasSucceeded = false;
    return {
      succeeded: () => {
        hasSucceeded = true;
        return this.#forgive(counted);
      },
      failed: async (error) => {
        if (!hasSucceeded && !(error instanceof InvalidCredentialsError)) {
          // If the database is away, the attempt stays counted, for a day at most.
          await giveBack(counted).catch(() => {});
        }
      },
    };
  }

  /** The caller knows the password, so the failures of this pair are forgotten. */
  async #forgive(counted: Counted[]): Promise<void> {
    const isOfPair = ({ counter }: Counted) => counter === this.#byPair || counter === this.#byKnownPair;
    const pair = counted.filter(isOfPair);
    const others = counted.filter((each) => !isOfPair(each));
    await Promise.all([giveBack(others), ...pair.map(({ counter, key }) => counter.forget(key))]);
  }

  /**
   * Counts an attempt at the networks of its sender, together with the failed logins from there, and at no e-mail: strangers
   * must not use up the attempts of its owner.
   * @throws TooManyAttemptsError
   */
  async countSender(ip: string): Promise<void> {
    await countOnce(this.#networksOf(ip));
  }

  /**
   * Counts a request for a reset link like {@link countSender}, and by the e-mail and the place of its sender: one stranger
   * must not fill a mailbox, nor use up the requests of its owner, who is at another place.
   * @throws TooManyAttemptsError
   */
  countResetRequest({ email, ip }: LoginAttempt): Promise<CountedAct> {
    const pair = present([{ counter: this.#resetRequests, key: pairKey(email, siteOf(ip)) }]);
    return countOnce([...this.#networksOf(ip), ...pair]);
  }

  /**
   * Counts a change of the password by somebody who knows it. The account may have the e-mail of somebody else, who gets a mail
   * for each change.
   * @throws TooManyAttemptsError
   */
  countPasswordChange(accountId: string): Promise<CountedAct> {
    return countOnce(present([{ counter: this.#passwordChanges, key: digest(accountId) }]));
  }

  /** Forgets the failures of an e-mail from one address. Its owner has a new password, and may have tried the old one often. */
  async forgetFailures({ email, ip }: LoginAttempt): Promise<void> {
    const { own, pair } = this.#countsOf({ email, ip });
    await Promise.all([...own, ...pair].map(({ counter, key }) => counter.forget(key)));
  }

  /** @throws TooManyAttemptsError */
  async beforeRegistration(ip: string): Promise<void> {
    const counts = present([{ counter: this.#registrations, key: ip }]);
    await countStages([await lookAll(counts)]);
  }

  /**
   * Counts a doctor who submits documents again: with the registrations of the address, and by the account, whose documents
   * could come from many addresses.
   * @throws TooManyAttemptsError
   */
  async beforeResubmission({ accountId, ip }: { accountId: string; ip: string }): Promise<void> {
    const counts = present([
      { counter: this.#registrations, key: ip },
      { counter: this.#resubmissions, key: digest(accountId) },
    ]);
    await countStages([await lookAll(counts)]);
  }

  /**
   * Counts an export of the data of an account.
   * @throws TooManyAttemptsError
   */
  async beforeExport(accountId: string): Promise<void> {
    const counts = present([{ counter: this.#exports, key: accountId }]);
    await countStages([await lookAll(counts)]);
  }

  /**
   * Counts wrong credentials of a service.
   * @throws TooManyAttemptsError
   */
  async countServiceFailure(ip: string): Promise<void> {
    const counts = present([{ counter: this.#serviceFailures, key: ip }]);
    await countStages([await lookAll(counts)]);
  }

  /**
   * Counts an attempt, unless it is refused. Strangers must not keep the owner of an account out: at a place where a login
   * has succeeded before, only failures from that place count. A stranger's attempt is counted by the e-mail last, after
   * the stranger's own counts. So a stranger without room there cannot use up the e-mail's room, not even for a moment.
   */
  async #count(attempt: LoginAttempt): Promise<Counted[]> {
    const { own, pair, networks, email } = this.#countsOf(attempt);
    const isKnownPlace = own.length > 0 ? this.isKnownPlace(attempt) : false;
    const looks = [own, pair, networks, email].map(lookAll);
    const [isKnown, [ofOwn = [], ...ofStranger]] = await Promise.all([isKnownPlace, Promise.all(looks)]);
    return countStages(isKnown ? [ofOwn] : ofStranger);
  }

  /**
   * The counts of an attempt. A stranger shares the limit of the pair with the whole IPv6 block. It is a third of the
   * e-mail's limit, so no single line or site can use that up.
   */
  #countsOf({ email, ip }: LoginAttempt) {
    return {
      own: present([{ counter: this.#byKnownPair, key: pairKey(email, ip) }]),
      pair: present([{ counter: this.#byPair, key: pairKey(email, siteOf(ip)) }]),
      networks: this.#networksOf(ip),
      email: present([{ counter: this.#byEmail, key: digest(emailKey(email)) }]),
    };
  }

  #networksOf(ip: string): Count[] {
    const { line, block } = networksOf(ip);
    return present([
      { counter: this.#byAddress, key: ip },
      { counter: this.#byLine, key: line },
      { counter: this.#byBlock, key: block },
    ]);
  }
}

const present = (counts: { counter: AttemptCounter | undefined; key: string | undefined }[]): Count[] =>
  counts.flatMap(({ counter, key }) => (counter && key !== undefined ? [{ counter, key }] : []));

const grown = (perMinute: number, growth: WindowLimits): WindowLimits => ({
  minute: perMinute,
  ...Object.fromEntries(Object.entries(growth).map(([name, times]) => [name, perMinute * times])),
});

const pairKey = (email: string, place: string): string => digest(`${place}\n${emailKey(email)}`);

/** All keys have the same length, and no e-mail is stored in clear outside the accounts. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

const lookAll = (counts: Count[]): Promise<Looked[]> =>
  Promise.all(counts.map(async (count) => ({ ...count, look: await count.counter.look(count.key) })));

/**
 * Counts an attempt everywhere, or nowhere if it is refused: a refused attempt has guessed nothing.
 * @param stages are counted one after the other; the counts of one stage at once
 * @throws TooManyAttemptsError with the longest wait
 */
async function countStages(stages: Looked[][]): Promise<Counted[]> {
  refuse(stages.flat().map(({ look }) => look.refusal));
  const counted: Counted[] = [];
  const countOne = async ({ counter, key, look }: Looked): Promise<Refusal | undefined> => {
    const taken = await look.take();
    if (taken.refusal) {
      return taken.refusal;
    }
    counted.push({ counter, key, counts: taken.counts });
    return undefined;
  };
  try {
    for (const stage of stages) {
      refuse(await Promise.all(stage.map(countOne)));
    }
  } catch (error) {
    await giveBack(counted).catch(() => {});
    throw error;
  }
  return counted;
}

/** Counts an attempt in one stage. */
async function countOnce(counts: Count[]): Promise<CountedAct> {
  const counted = await countStages([await lookAll(counts)]);
  return {
    giveBack: async () => {
      await giveBack(counted).catch(() => {});
    },
  };
}

function refuse(refusals: (Refusal | undefined)[]): void {
  const longest = longestOf(refusals.flatMap((refusal) => refusal ?? []));
  if (longest) {
    throw new TooManyAttemptsError(longest.retryAfterSeconds, longest);
  }
}

const giveBack = (counted: Counted[]) =>
  Promise.all(counted.map(({ counter, key, counts }) => counter.giveBack(key, counts)));
