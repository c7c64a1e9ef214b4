import { createHash } from 'node:crypto';
import { RateLimiterRes } from 'rate-limiter-flexible';
import { InvalidCredentialsError, TooManyAttemptsError } from '../errors.ts';
import { emailKey } from '../models/account.model.ts';
import { type AttemptCounter, type CreateCounter, WINDOW_SECONDS } from './attempt-counters.ts';

/** Attempts per minute; undefined means that they are not limited. */
export interface ThrottleLimits {
  /** Failed logins of one e-mail from one address. */
  loginsPerMinute: number | undefined;
  /** Failed logins from one address, whatever the e-mail: somebody who tries one password on many accounts. */
  addressLoginsPerMinute: number | undefined;
  /** Failed logins of one e-mail, from wherever: somebody with many addresses. */
  emailLoginsPerMinute: number | undefined;
  /** Registrations from one address. */
  registrationsPerMinute: number | undefined;
}

/** What attempts at a login are counted by. */
export interface LoginAttempt {
  email: string;
  /** The caller's address. */
  ip: string;
}

interface Count {
  counter: AttemptCounter;
  key: string;
}

/** Counts attempts in the service layer, so that both doors, aliases and batches count alike (OWASP ASVS 6.3.1, 6.3.3). */
export class LoginThrottle {
  readonly #byAddress: AttemptCounter | undefined;
  readonly #byPair: AttemptCounter | undefined;
  readonly #byEmail: AttemptCounter | undefined;
  readonly #registrations: AttemptCounter | undefined;

  /** @param createCounter where the counts are kept */
  constructor(limits: ThrottleLimits, createCounter: CreateCounter) {
    const create = (name: string, perMinute: number | undefined) =>
      perMinute === undefined ? undefined : createCounter(name, perMinute);
    this.#byAddress = create('login-address', limits.addressLoginsPerMinute);
    this.#byPair = create('login-pair', limits.loginsPerMinute);
    this.#byEmail = create('login-email', limits.emailLoginsPerMinute);
    this.#registrations = create('registration', limits.registrationsPerMinute);
  }

  /**
   * Tries a login. It is counted as failed before it is tried, so that simultaneous guesses cannot slip past a limit
   * together; what turns out not to be a failure is given back.
   * @param tryIt throws InvalidCredentialsError when it fails; whatever else it throws was no guess
   * @throws TooManyAttemptsError, and whatever the attempt throws
   */
  async login<T>(attempt: LoginAttempt, tryIt: () => Promise<T>): Promise<T> {
    const counts = this.#countsOf(attempt);
    await countAll(counts);
    let result: T;
    try {
      result = await tryIt();
    } catch (error) {
      // What cannot be given back, because the database is away, is forgotten within a minute anyway.
      if (!(error instanceof InvalidCredentialsError)) await giveBack(counts).catch(() => {});
      throw error;
    }
    await this.#forgive(counts);
    return result;
  }

  /** After a success: the pair has shown to know the password, and its earlier failures were slips. */
  async #forgive(counts: Count[]): Promise<void> {
    const pair = counts.filter(({ counter }) => counter === this.#byPair);
    const others = counts.filter(({ counter }) => counter !== this.#byPair);
    await Promise.all([giveBack(others), ...pair.map(({ counter, key }) => counter.delete(key))]);
  }

  /** @throws TooManyAttemptsError */
  async beforeRegistration(ip: string): Promise<void> {
    await countAll(present([{ counter: this.#registrations, key: ip }]));
  }

  /**
   * The counts of a login in the order in which they are asked. The e-mail's comes last: who is refused before cannot
   * use it up, so no single stranger can lock somebody else out.
   */
  #countsOf(attempt: LoginAttempt): Count[] {
    return present([
      { counter: this.#byAddress, key: attempt.ip },
      { counter: this.#byPair, key: pairKey(attempt) },
      { counter: this.#byEmail, key: digest(emailKey(attempt.email)) },
    ]);
  }
}

const present = (counts: { counter: AttemptCounter | undefined; key: string }[]): Count[] =>
  counts.flatMap(({ counter, key }) => (counter ? [{ counter, key }] : []));

const pairKey = ({ email, ip }: LoginAttempt): string => digest(`${ip}\n${emailKey(email)}`);

/** Keys of one length however long the e-mail is, and no e-mail in clear beside the accounts. */
const digest = (text: string): string => createHash('sha256').update(text).digest('base64');

/** Counts an attempt everywhere, or, when it is refused, nowhere: a refused attempt has guessed nothing. */
async function countAll(counts: Count[]): Promise<void> {
  for (const [index, { counter, key }] of counts.entries()) {
    try {
      await consume({ counter, key });
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      await giveBack(counts.slice(0, index + 1));
      const seconds = Math.ceil(refusal.msBeforeNext / 1000);
      throw new TooManyAttemptsError(Math.min(Math.max(1, seconds), WINDOW_SECONDS), counter.points);
    }
  }
}

/** Clocks of instances may differ, but not by that much. */
const LONGEST_REFUSAL_MILLIS = 2 * WINDOW_SECONDS * 1000;

/** A count that ends much later than a minute from now is of a clock that was set back since: it is begun anew. */
async function consume({ counter, key }: Count): Promise<void> {
  try {
    await counter.consume(key);
  } catch (refusal) {
    if (!(refusal instanceof RateLimiterRes) || refusal.msBeforeNext <= LONGEST_REFUSAL_MILLIS) throw refusal;
    await counter.delete(key);
    await counter.consume(key);
  }
}

const giveBack = (counts: Count[]) => Promise.all(counts.map(giveBackOne));

/**
 * An attempt that was counted in a minute that is over is not given back to the next one: whoever let attempts end just
 * after each minute would have more and more to spare.
 */
async function giveBackOne({ counter, key }: Count): Promise<void> {
  const { consumedPoints } = await counter.reward(key);
  if (consumedPoints < 0) await counter.penalty(key);
}
