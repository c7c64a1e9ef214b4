import { TooManyAttemptsError } from '../../system/errors.ts';
import type { AttemptCounter, CreateCounter } from './attempt-counters.ts';
import {
  type Count,
  type CountedAct,
  counterMaker,
  countOnce,
  DEVICE_NOTICES,
  digest,
  GUESS_MULTIPLES,
  keyOf,
  MANY_READINGS,
  NEW_RECOVERY_CODES,
  networkCounts,
  OPENED_ACCOUNTS,
  OPERATOR_CHANGES,
  present,
  type ThrottleLimits,
  WRONG_CODES_OF_ACCOUNT,
} from './throttle-limits.ts';

/** An account, and the address that it acts from. */
interface AccountAt {
  accountId: string;
  ip: string;
}

/** Counts acts that are no logins, but cost much or send mails. Both APIs count together (OWASP ASVS 2.4.1). */
export class ActThrottle {
  readonly #registrationsOf: (ip: string) => Count[];
  readonly #serviceFailuresOf: (ip: string) => Count[];
  readonly #resubmissions: AttemptCounter | undefined;
  readonly #corrections: AttemptCounter | undefined;
  readonly #exports: AttemptCounter | undefined;
  readonly #passwordChanges: AttemptCounter | undefined;
  readonly #emailChanges: AttemptCounter | undefined;
  readonly #codes: AttemptCounter | undefined;
  readonly #codesOfAccount: AttemptCounter | undefined;
  readonly #newRecoveryCodes: AttemptCounter;
  readonly #deviceNotices: AttemptCounter;
  readonly #operatorChanges: AttemptCounter;
  readonly #openedAccounts: AttemptCounter;
  readonly #manyReadings: AttemptCounter;

  /** @param createCounter where the counts are kept */
  constructor(limits: ThrottleLimits, createCounter: CreateCounter) {
    const create = counterMaker(createCounter);
    const byNetwork = (name: string, perMinute: number | undefined) =>
      networkCounts(create, perMinute, (level) => (level === 'address' ? name : `${name}-${level}`));
    this.#registrationsOf = byNetwork('registrations', limits.registrationsPerMinute);
    this.#serviceFailuresOf = byNetwork('service-failures', limits.serviceFailuresPerMinute);
    this.#resubmissions = create('resubmissions', limits.registrationsPerMinute);
    this.#corrections = create('corrections', limits.registrationsPerMinute);
    this.#exports = create('exports', limits.exportsPerMinute);
    this.#passwordChanges = create('password-changes', limits.loginsPerMinute, GUESS_MULTIPLES);
    this.#emailChanges = limits.emailChanges && createCounter('email-changes', limits.emailChanges);
    this.#codes = limits.codes && createCounter('codes', limits.codes);
    this.#codesOfAccount = limits.codes && createCounter('account-codes', WRONG_CODES_OF_ACCOUNT);
    // They are mails, so RATE_LIMIT=off does not end these limits.
    this.#newRecoveryCodes = createCounter('new-recovery-codes', NEW_RECOVERY_CODES);
    this.#deviceNotices = createCounter('device-notices', DEVICE_NOTICES);
    // They bound what a stolen session of an operator can do, so RATE_LIMIT=off does not end them either.
    this.#operatorChanges = createCounter('operator-changes', OPERATOR_CHANGES);
    this.#openedAccounts = createCounter('opened-accounts', OPENED_ACCOUNTS);
    this.#manyReadings = createCounter('many-readings', MANY_READINGS);
  }

  /**
   * Counts a registration by the networks of its sender: its answer says whether an e-mail is taken.
   * @throws TooManyAttemptsError
   */
  async beforeRegistration(ip: string): Promise<void> {
    await countOnce(this.#registrationsOf(ip));
  }

  /**
   * Counts a doctor who submits documents again: with the registrations of its networks, and by the account, whose
   * documents could come from many networks.
   * @throws TooManyAttemptsError
   */
  beforeResubmission(sender: AccountAt): Promise<void> {
    return this.#beforeReviewed(this.#resubmissions, sender);
  }

  /**
   * Counts a correction of an account or a profile, like documents that are submitted again: a reviewer may have to look at it.
   * @throws TooManyAttemptsError
   */
  beforeCorrection(sender: AccountAt): Promise<void> {
    return this.#beforeReviewed(this.#corrections, sender);
  }

  async #beforeReviewed(counter: AttemptCounter | undefined, { accountId, ip }: AccountAt): Promise<void> {
    const ofAccount = present([{ counter, key: digest(accountId) }]);
    await countOnce([...this.#registrationsOf(ip), ...ofAccount]);
  }

  /**
   * Counts an export of the data of an account.
   * @throws TooManyAttemptsError
   */
  async beforeExport(accountId: string): Promise<void> {
    await countOnce(present([{ counter: this.#exports, key: accountId }]));
  }

  /**
   * Counts wrong credentials of a service by the networks of their sender.
   * @throws TooManyAttemptsError
   */
  async countServiceFailure(ip: string): Promise<void> {
    await countOnce(this.#serviceFailuresOf(ip));
  }

  /**
   * Counts a change of the password by somebody who knows it. The account may have the e-mail of somebody else, who gets a mail
   * for each change.
   * @throws TooManyAttemptsError
   */
  countPasswordChange(accountId: string): Promise<CountedAct> {
    return countOnce(present([{ counter: this.#passwordChanges, key: digest(accountId) }]));
  }

  /**
   * Counts a change of the e-mail that somebody who knows the password asks for. It sends a mail to any address that they like.
   * @throws TooManyAttemptsError
   */
  countEmailChange(accountId: string): Promise<CountedAct> {
    return countOnce(present([{ counter: this.#emailChanges, key: digest(accountId) }]));
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
    const ofAccount = { counter: this.#codesOfAccount, key: ofAnyPassword };
    return countOnce(present([{ counter: this.#codes, key }, ofAccount]));
  }

  /**
   * Counts a renewal of the recovery codes by somebody who has proven the account. Each sends a mail.
   * @throws TooManyAttemptsError
   */
  countNewRecoveryCodes(accountId: string): Promise<CountedAct> {
    return countOnce([{ counter: this.#newRecoveryCodes, key: digest(accountId) }]);
  }

  /** Forgets these renewals: after a reset the owner must be able to end the codes that a thief has made. */
  forgetNewRecoveryCodes(accountId: string): Promise<void> {
    return this.#newRecoveryCodes.forget(digest(accountId));
  }

  /**
   * Counts a change that an operator makes to an account.
   * @throws TooManyAttemptsError
   */
  async countOperatorChange(operatorId: string): Promise<void> {
    await countOnce([{ counter: this.#operatorChanges, key: digest(operatorId) }]);
  }

  /**
   * Counts an account that an operator opens.
   * @throws TooManyAttemptsError
   */
  async countOpenedAccount(operatorId: string): Promise<void> {
    await countOnce([{ counter: this.#openedAccounts, key: digest(operatorId) }]);
  }

  /**
   * Counts what an operator reads about people: an account, or a page of a list.
   * @returns true if it was so much within the hour that somebody should look
   */
  async hasReadMuch(operatorId: string): Promise<boolean> {
    return countOnce([{ counter: this.#manyReadings, key: digest(operatorId) }]).then(
      () => false,
      (error: unknown) => {
        if (error instanceof TooManyAttemptsError) {
          return true;
        }
        throw error;
      },
    );
  }

  /**
   * Counts a mail about a login from another device. Whoever knows the password can name any number of devices.
   * @throws TooManyAttemptsError
   */
  countDeviceNotice(accountId: string): Promise<CountedAct> {
    return countOnce([{ counter: this.#deviceNotices, key: digest(accountId) }]);
  }
}
