import type { Outbox } from '../mail/outbox.ts';
import {
  type AccountStore,
  emailVerifiedAtOf,
  ROLES,
  type StoredAccount,
  toAccount,
} from '../stores/accounts.ts';
import type { DoctorStore } from '../stores/doctors.ts';
import { problemOfAccount, problemOfProfile } from '../stores/invalid-records.ts';
import type { Clock } from '../system/clock.ts';
import { InvalidCredentialsError } from '../system/errors.ts';
import type { Logger } from '../system/log.ts';
import { noticeTo } from './account-mails.ts';
import type { AuditSubject, AuditTrail, Recorded } from './audit/audit-trail.ts';
import type { Caller } from './caller.ts';
import type { Authenticated } from './registration.ts';
import type { ActThrottle } from './throttle/act-throttle.ts';
import type { KnownPlaces } from './throttle/known-places.ts';
import { during } from './throttle/throttle-limits.ts';
import { type AccessTokens, AUTH_TOKEN, type NewAccessToken } from './tokens/access-tokens.ts';
import { knownNamesOf, originOf } from './tokens/devices.ts';

interface SessionIssuerParts {
  accounts: AccountStore;
  doctors: DoctorStore;
  knownPlaces: KnownPlaces;
  tokens: AccessTokens;
  actThrottle: ActThrottle;
  outbox: Outbox;
  audit: AuditTrail;
  /** How many tokens an account may have after a login; undefined: any number. */
  maxTokensPerAccount: number | undefined;
  clock: Clock;
  log: Logger;
}

/** The end of every login: whether the account may have a session, its token, and what its owner hears. */
export class SessionIssuer {
  constructor(private readonly parts: SessionIssuerParts) {}

  /**
   * Refuses an account that is disabled, or that the called API does not serve or cannot show. The log has the reason.
   * @throws InvalidCredentialsError
   */
  async refuseUnfit(account: StoredAccount, { audience }: Caller): Promise<void> {
    if (account.disabledAt) {
      throw new InvalidCredentialsError('disabled account');
    }
    const reason = problemOfAccount(account, audience.roles) ?? (await this.#problemOfProfileOf(account));
    if (reason === undefined) {
      return;
    }
    const { log } = this.parts;
    log.warn({ accountId: account._id, reason }, 'a login was refused: the account cannot be shown');
    throw new InvalidCredentialsError(`account cannot be shown: ${reason}`);
  }

  async #problemOfProfileOf({ _id, role }: StoredAccount): Promise<string | undefined> {
    if (role !== ROLES.DOCTOR) {
      return undefined;
    }
    const profile = await this.parts.doctors.find(_id);
    const problem = profile && problemOfProfile(profile);
    return problem ? `profile: ${problem}` : undefined;
  }

  /**
   * Issues the token of a login, and records the success.
   * @param account as it was read with its password
   * @param amr the methods that have proved the owner
   * @throws InvalidCredentialsError if the account was changed meanwhile; the database's error
   */
  async open(
    account: StoredAccount,
    amr: readonly string[],
    subject: AuditSubject,
    caller: Caller,
  ): Promise<Recorded<Authenticated>> {
    const { token, isNewDevice } = await this.#issueToken(account, amr, caller);
    subject.tokenId = token.record._id;
    const result = { account: toAccount(account), token: token.plainText };
    const written = Promise.all([
      this.parts.audit.write(subject, caller),
      this.#revokeOldest(account, caller),
      isNewDevice && this.#notifyOwner(account, caller),
    ]);
    return { result, written: written.then(() => {}) };
  }

  /** Records the login of an account that was set up together with its token, and the first place that it knows. */
  async recordLogin(account: StoredAccount, subject: AuditSubject, caller: Caller): Promise<void> {
    await Promise.all([this.parts.audit.write(subject, caller), this.#rememberOrigin(account, caller)]);
  }

  async #issueToken(
    account: StoredAccount,
    amr: readonly string[],
    caller: Caller,
  ): Promise<{ token: NewAccessToken; isNewDevice: boolean }> {
    const { tokens } = this.parts;
    const [token, isNewDevice] = await Promise.all([
      tokens.issue(toAccount(account), AUTH_TOKEN, originOf(caller), amr),
      this.#rememberOrigin(account, caller),
    ]);
    await this.#refuseChanged(account, token);
    return { token, isNewDevice };
  }

  /**
   * Withdraws the token if the password or the second factor was changed, or the account disabled, during the login: what was to end all
   * sessions must not miss this one (password-changes.ts).
   * @throws InvalidCredentialsError
   */
  async #refuseChanged(account: StoredAccount, { record }: NewAccessToken): Promise<void> {
    const { accounts, tokens } = this.parts;
    if (!(await accounts.isUnchanged(account))) {
      await tokens.withdraw(record);
      throw new InvalidCredentialsError('changed during the login');
    }
  }

  /**
   * The login succeeds even if this fails.
   * @returns true if the account did not know the device, but others
   */
  async #rememberOrigin(account: StoredAccount, caller: Caller): Promise<boolean> {
    const { knownPlaces, log } = this.parts;
    return knownPlaces.add(account, caller).catch((err: unknown) => {
      log.warn({ err, accountId: account._id }, 'the place of a login was not remembered');
      return false;
    });
  }

  /**
   * Orders a mail about a login from another device to a proven e-mail: the one that the account has now, so that whoever changes it
   * next does not get the mail. The login succeeds even if this fails.
   */
  async #notifyOwner(account: StoredAccount, { ip, userAgent }: Caller): Promise<void> {
    const { outbox, actThrottle, clock, log } = this.parts;
    const { _id: accountId, email, language } = account;
    if (!outbox.isOn || !emailVerifiedAtOf(account)) {
      return;
    }
    const at = new Date(clock.now()).toISOString();
    const facts = { at, ...knownNamesOf(userAgent) };
    const notice = noticeTo('new device', { email, language, isProven: true }, facts);
    try {
      const counting = actThrottle.count('device-notices', accountId);
      await during(counting, () => outbox.add(notice, { orderedFrom: ip }));
    } catch (err) {
      log.warn({ err, accountId }, 'a mail about a login from another device was not ordered');
    }
  }

  /**
   * Keeps an account within the limit on its tokens, if there is one (OWASP ASVS 7.1.2). The login succeeds even if this fails
   * or takes long: the next one continues with what is left.
   */
  async #revokeOldest({ _id, email }: StoredAccount, caller: Caller): Promise<void> {
    const { tokens, maxTokensPerAccount, audit, log } = this.parts;
    if (maxTokensPerAccount === undefined) {
      return;
    }
    try {
      const ended = await tokens.revokeOldest(_id, maxTokensPerAccount);
      if (ended.revoked > 0) {
        const cause = 'more than MAX_TOKENS_PER_ACCOUNT';
        await audit.write({ act: 'revocation', accountId: _id, email, ...ended, cause }, caller);
      }
    } catch (err) {
      log.warn({ err, accountId: _id }, 'the tokens beyond MAX_TOKENS_PER_ACCOUNT were not all revoked');
    }
  }
}
