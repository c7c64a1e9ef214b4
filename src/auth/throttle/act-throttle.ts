import { TooManyAttemptsError } from '../../system/errors.ts';
import type { AttemptCounter, CreateCounter, WindowLimits } from './attempt-counters.ts';
import {
  type Count,
  type CountedAct,
  counterMaker,
  countOnce,
  digest,
  GUESS_MULTIPLES,
  keyOf,
  limitsOf,
  networkCounts,
  present,
  type ThrottleLimits,
} from './throttle-limits.ts';

/**
 * What one account may do, by the names of the counters. A row that reads no setting holds with RATE_LIMIT=off, too: it bounds mails,
 * or what a stolen session of an operator can do.
 */
const LIMITS = {
  // By the account, whose documents or corrections could come from many networks. A reviewer may have to look at each.
  resubmissions: ({ registrationsPerMinute }) => limitsOf(registrationsPerMinute),
  corrections: ({ registrationsPerMinute }) => limitsOf(registrationsPerMinute),
  exports: ({ exportsPerMinute }) => limitsOf(exportsPerMinute),
  // By somebody who knows the password. The account may have the e-mail of somebody else, who gets a mail for each change.
  'password-changes': ({ loginsPerMinute }) => limitsOf(loginsPerMinute, GUESS_MULTIPLES),
  // By somebody who knows the password. Each sends a mail to any address that they like.
  'email-changes': ({ emailChanges }) => emailChanges,
  codes: ({ codes }) => codes,
  // With any password: whoever reads the mails of an account can set new ones, each of which begins anew.
  'account-codes': ({ codes }) => codes && { day: 60 },
  // Each sends a mail.
  'new-recovery-codes': () => ({ day: 10 }),
  // Mails about logins from other devices. Whoever knows the password can name any number of devices.
  'device-notices': () => ({ day: 5 }),
  // Of an operator in the API. Nobody helps a person a minute for an hour.
  'operator-changes': () => ({ hour: 60 }),
  'opened-accounts': () => ({ hour: 600 }),
  // Far more than a day at a helpdesk needs in an hour: somebody should look.
  'many-readings': () => ({ hour: 200 }),
} satisfies Record<string, (settings: ThrottleLimits) => WindowLimits | undefined>;

export type ActLimit = keyof typeof LIMITS;

/** Counts acts that are no logins, but cost much or send mails. Both APIs count together (OWASP ASVS 2.4.1). */
export class ActThrottle {
  readonly #registrationsOf: (ip: string) => Count[];
  readonly #serviceFailuresOf: (ip: string) => Count[];
  readonly #counters: ReadonlyMap<ActLimit, AttemptCounter | undefined>;

  /** @param createCounter where the counts are kept */
  constructor(settings: ThrottleLimits, createCounter: CreateCounter) {
    const create = counterMaker(createCounter);
    const byNetwork = (name: string, perMinute: number | undefined) =>
      networkCounts(create, perMinute, (level) => (level === 'address' ? name : `${name}-${level}`));
    this.#registrationsOf = byNetwork('registrations', settings.registrationsPerMinute);
    this.#serviceFailuresOf = byNetwork('service-failures', settings.serviceFailuresPerMinute);
    const names = Object.keys(LIMITS) as ActLimit[];
    this.#counters = new Map(names.map((name) => [name, create(name, LIMITS[name](settings))]));
  }

  /**
   * Counts an act of an account.
   * @throws TooManyAttemptsError
   */
  count(limit: ActLimit, accountId: string): Promise<CountedAct> {
    return countOnce(this.#countsOf(limit, accountId));
  }

  /** Forgets what an account has done. */
  async forget(limit: ActLimit, accountId: string): Promise<void> {
    await Promise.all(this.#countsOf(limit, accountId).map(({ counter, key }) => counter.forget(key)));
  }

  /** The stored keys of exports are no digests. */
  #countsOf(limit: ActLimit, accountId: string): Count[] {
    const key = limit === 'exports' ? accountId : digest(accountId);
    return present([{ counter: this.#counters.get(limit), key }]);
  }

  /**
   * Counts a registration by the networks of its sender: its answer says whether an e-mail is taken.
   * @throws TooManyAttemptsError
   */
  async beforeRegistration(ip: string): Promise<void> {
    await countOnce(this.#registrationsOf(ip));
  }

  /**
   * Counts what a reviewer may have to look at, by the account, and with the registrations of its networks.
   * @throws TooManyAttemptsError
   */
  async beforeReviewed(limit: 'resubmissions' | 'corrections', accountId: string, ip: string): Promise<void> {
    await countOnce([...this.#registrationsOf(ip), ...this.#countsOf(limit, accountId)]);
  }

  /**
   * Counts wrong credentials of a service by the networks of their sender.
   * @throws TooManyAttemptsError
   */
  async countServiceFailure(ip: string): Promise<void> {
    await countOnce(this.#serviceFailuresOf(ip));
  }

  /**
   * Counts a code or a recovery code as wrong before it is tried, so that simultaneous guesses cannot exceed the limit together. Places
   * where a second factor was proven before count apart, each alone: whoever has the password or the mailbox must not lock the owner
   * out there.
   * @param passwordChangeId the last change of the password; another one starts anew, up to 60 a day
   * @param knownPlace the address, if it is such a place
   * @throws TooManyAttemptsError
   */
  countCode(accountId: string, passwordChangeId: string | null, knownPlace?: string): Promise<CountedAct> {
    const key = keyOf(accountId, passwordChangeId, knownPlace ?? null);
    const ofAnyPassword = knownPlace === undefined ? digest(accountId) : keyOf(accountId, knownPlace);
    const ofAccount = { counter: this.#counters.get('account-codes'), key: ofAnyPassword };
    return countOnce(present([{ counter: this.#counters.get('codes'), key }, ofAccount]));
  }

  /**
   * Counts what an operator reads about people: an account, or a page of a list.
   * @returns true if it was so much within the hour that somebody should look
   */
  async hasReadMuch(operatorId: string): Promise<boolean> {
    return this.count('many-readings', operatorId).then(
      () => false,
      (error: unknown) => {
        if (error instanceof TooManyAttemptsError) {
          return true;
        }
        throw error;
      },
    );
  }
}
