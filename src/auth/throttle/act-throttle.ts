import type { AttemptCounter, CreateCounter } from './attempt-counters.ts';
import { type CountedAct, counterMaker, countOnce, digest, present } from './counts.ts';
import { GUESSES, type ThrottleLimits } from './throttle-limits.ts';

/** Counts acts that are no logins, but cost much or send mails. Both doors count together (OWASP ASVS 2.4.1). */
export class ActThrottle {
  readonly #registrations: AttemptCounter | undefined;
  readonly #resubmissions: AttemptCounter | undefined;
  readonly #serviceFailures: AttemptCounter | undefined;
  readonly #exports: AttemptCounter | undefined;
  readonly #passwordChanges: AttemptCounter | undefined;

  /** @param createCounter where the counts are kept */
  constructor(limits: ThrottleLimits, createCounter: CreateCounter) {
    const create = counterMaker(createCounter);
    this.#registrations = create('registrations', limits.registrationsPerMinute);
    this.#resubmissions = create('resubmissions', limits.registrationsPerMinute);
    this.#serviceFailures = create('service-failures', limits.serviceFailuresPerMinute);
    this.#exports = create('exports', limits.exportsPerMinute);
    this.#passwordChanges = create('password-changes', limits.loginsPerMinute, GUESSES);
  }

  /** @throws TooManyAttemptsError */
  async beforeRegistration(ip: string): Promise<void> {
    await countOnce(present([{ counter: this.#registrations, key: ip }]));
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
    await countOnce(counts);
  }

  /**
   * Counts an export of the data of an account.
   * @throws TooManyAttemptsError
   */
  async beforeExport(accountId: string): Promise<void> {
    await countOnce(present([{ counter: this.#exports, key: accountId }]));
  }

  /**
   * Counts wrong credentials of a service.
   * @throws TooManyAttemptsError
   */
  async countServiceFailure(ip: string): Promise<void> {
    await countOnce(present([{ counter: this.#serviceFailures, key: ip }]));
  }

  /**
   * Counts a change of the password by somebody who knows it. The account may have the e-mail of somebody else, who gets a mail
   * for each change.
   * @throws TooManyAttemptsError
   */
  countPasswordChange(accountId: string): Promise<CountedAct> {
    return countOnce(present([{ counter: this.#passwordChanges, key: digest(accountId) }]));
  }
}
