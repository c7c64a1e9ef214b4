import type { Outbox } from '../mail/outbox.ts';
import {
  type AccountStore,
  emailVerifiedAtOf,
  factorsOf,
  ROLES,
  type StoredAccount,
  toAccount,
} from '../stores/accounts.ts';
import type { DoctorStore } from '../stores/doctors.ts';
import { problemOfAccount, problemOfProfile } from '../stores/invalid-records.ts';
import type { Clock } from '../system/clock.ts';
import {
  type FieldErrors,
  InvalidCredentialsError,
  InvalidProofError,
  NoSecondFactorError,
  TwoFactorRequiredError,
  TwoFactorSetupRequiredError,
} from '../system/errors.ts';
import type { Logger } from '../system/log.ts';
import { noticeTo } from './account-mails.ts';
import type { AuditSubject, AuditTrail, Recorded } from './audit/audit-trail.ts';
import { type Caller, knownRequester } from './caller.ts';
import type { PasswordChanges } from './passwords/new-passwords.ts';
import type { PasswordHasher, PasswordMatch } from './passwords/password-hasher.ts';
import type { Authenticated } from './registration.ts';
import type { ActThrottle } from './throttle/act-throttle.ts';
import type { KnownPlaces } from './throttle/known-places.ts';
import type { CountedLogin, LoginThrottle } from './throttle/login-throttle.ts';
import { type AccessTokens, AUTH_TOKEN, type NewAccessToken } from './tokens/access-tokens.ts';
import { AMR } from './tokens/assurance.ts';
import { knownNamesOf, originOf } from './tokens/devices.ts';
import type { Challenges } from './two-factor/challenges.ts';
import type { TwoFactorPolicy } from './two-factor/policy.ts';
import {
  isProof,
  PROOF_METHODS,
  PROOF_TEXTS,
  type Proof,
  type SecondFactor,
} from './two-factor/second-factor.ts';

/** The proof is read only after the right password of an account with a second factor. */
export interface Credentials extends Proof {
  email: string;
  password: string;
}

/** What finishes a login that has got a challenge. */
export interface Completion extends Proof {
  challenge: string;
}

interface LoginParts {
  accounts: AccountStore;
  places: KnownPlaces;
  doctors: DoctorStore;
  tokens: AccessTokens;
  hasher: PasswordHasher;
  throttle: LoginThrottle;
  actThrottle: ActThrottle;
  outbox: Outbox;
  audit: AuditTrail;
  passwordChanges: PasswordChanges;
  secondFactor: SecondFactor;
  challenges: Challenges;
  policy: TwoFactorPolicy;
  /** True with TWO_FACTOR_SECRET. */
  hasSecondFactors: boolean;
  /** How many tokens an account may have after a login; undefined: any number. */
  maxTokensPerAccount: number | undefined;
  clock: Clock;
  log: Logger;
}

/** The steps of a login. */
export class Login {
  constructor(private readonly parts: LoginParts) {}

  /**
   * Logs in, and records the outcome.
   * @throws InvalidCredentialsError, TooManyAttemptsError, ServiceUnavailableError; TwoFactorRequiredError, TwoFactorSetupRequiredError,
   *   PasswordBlockedError
   */
  async run({ email, password, ...proof }: Credentials, caller: Caller): Promise<Recorded<Authenticated>> {
    const { throttle, accounts, audit, passwordChanges } = this.parts;
    const subject: AuditSubject = { act: 'login', email };
    let attempt: CountedLogin | undefined;
    try {
      attempt = await throttle.countLogin({ email, ip: caller.ip });
      const found = await accounts.findForLogin(email);
      if (found) {
        subject.accountId = found._id;
      }
      const { account, match } = await this.#verify(found, password, caller, attempt);
      await attempt.succeeded();
      await passwordChanges.finish(account);
      await this.#upgradeHash(account, match, caller);
      const amr = await this.#proveMore(account, proof, caller);
      return await this.#open(account, amr, subject, caller);
    } catch (error) {
      await attempt?.failed(error);
      void audit.write(subject, caller, error);
      throw error;
    }
  }

  /**
   * Finishes a login whose password was right, and records the outcome.
   * @throws NoSecondFactorError; InvalidChallengeError, InvalidProofError, PasswordBlockedError, InvalidCredentialsError, TooManyAttemptsError,
   *   ServiceUnavailableError
   */
  async complete({ challenge, ...proof }: Completion, caller: Caller): Promise<Recorded<Authenticated>> {
    const { challenges, secondFactor, audit, hasSecondFactors } = this.parts;
    if (!hasSecondFactors) {
      throw new NoSecondFactorError();
    }
    const subject: AuditSubject = { act: 'login' };
    try {
      const found = await challenges.find(challenge, 'login', caller);
      const { account } = found;
      Object.assign(subject, { email: account.email, accountId: account._id });
      await this.#refuseUnfit(account);
      const amr = await challenges.try(found.challenge, () => secondFactor.verify(account, proof, caller));
      await challenges.use(found.challenge);
      return await this.#open(account, amr, subject, caller);
    } catch (error) {
      void audit.write(subject, caller, error);
      throw error;
    }
  }

  /**
   * Asks for what the account needs beside its password. An account without a second factor, in a role without a policy, costs no
   * exchange with the database.
   * @returns the methods that have proved the owner
   */
  async #proveMore(account: StoredAccount, proof: Proof, caller: Caller): Promise<readonly string[]> {
    const { secondFactor, challenges, policy } = this.parts;
    if (factorsOf(account)) {
      const missing = isProof(proof) ? undefined : PROOF_TEXTS.missing;
      const challengeFor = async (errors: FieldErrors) =>
        new TwoFactorRequiredError(errors, PROOF_METHODS, await challenges.make(account, 'login'));
      if (missing) {
        await secondFactor.refuseBlocked(account);
        throw await challengeFor(missing);
      }
      return secondFactor.verify(account, proof, caller).catch(async (error: unknown) => {
        throw error instanceof InvalidProofError ? await challengeFor(error.errors) : error;
      });
    }
    if (policy.isDue(account)) {
      throw new TwoFactorSetupRequiredError(await challenges.make(account, 'setup'));
    }
    return AMR.password;
  }

  /** The last steps of a login: the token, and what its owner hears. */
  async #open(
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

  /**
   * Compares the password. An unknown e-mail also costs a comparison, and an account that may not log in costs as much as
   * a wrong password, so that the time does not distinguish them (OWASP WSTG-IDNT-04).
   * @throws InvalidCredentialsError
   */
  async #verify(
    account: StoredAccount | undefined,
    password: string,
    caller: Caller,
    { isKnownPlace }: CountedLogin,
  ): Promise<{ account: StoredAccount; match: PasswordMatch }> {
    const { hasher } = this.parts;
    const accept = async () => account && this.#refuseUnfit(account);
    const requester = isKnownPlace ? knownRequester(caller) : caller;
    const match = await caller.timeBudget.pauseFor(() =>
      hasher.verify(password, account?.passwordHash, { requester, accept }),
    );
    if (!account) {
      throw new InvalidCredentialsError('unknown e-mail');
    }
    if (!match) {
      throw new InvalidCredentialsError('wrong password');
    }
    return { account, match };
  }

  /**
   * Refuses an account that is disabled, or that neither API can show. The log has the reason.
   * @throws InvalidCredentialsError
   */
  async #refuseUnfit(account: StoredAccount): Promise<void> {
    if (account.disabledAt) {
      throw new InvalidCredentialsError('disabled account');
    }
    const reason = problemOfAccount(account) ?? (await this.#problemOfProfileOf(account));
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

  /** Replaces a weak hash while the password is known. The login succeeds even if this fails. */
  async #upgradeHash(account: StoredAccount, match: PasswordMatch, caller: Caller): Promise<void> {
    const { hasher, accounts, log } = this.parts;
    const { _id } = account;
    try {
      // The account is logged in by now, so the hash is finished even if the caller has gone.
      const requester = { ip: caller.ip, isKnown: true };
      const newHash = await caller.timeBudget.pauseFor(() => hasher.upgrade(match, requester));
      if (newHash !== undefined) {
        await accounts.replaceHash(account, newHash);
      }
    } catch (err) {
      log.warn({ err, accountId: _id }, 'a password hash was not upgraded');
    }
  }

  async #issueToken(
    account: StoredAccount,
    amr: readonly string[],
    caller: Caller,
  ): Promise<{ token: NewAccessToken; isNewDevice: boolean }> {
    const { tokens } = this.parts;
    const [token, isNewDevice] = await Promise.all([
      tokens.issue(account._id, AUTH_TOKEN, originOf(caller), amr),
      this.#rememberOrigin(account, caller),
    ]);
    await this.#refuseChanged(account, token);
    return { token, isNewDevice };
  }

  /**
   * Withdraws the token if the password or the second factor was changed, or the account disabled, during the login: what was to end all
   * sessions must not miss this one (new-passwords.ts).
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
    const { places, log } = this.parts;
    return places.add(account, caller).catch((err: unknown) => {
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
      const counted = await actThrottle.countDeviceNotice(accountId);
      const ordered = outbox.add(notice, { orderedFrom: ip });
      await ordered.catch(async (error: unknown) => {
        await counted.giveBack();
        throw error;
      });
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
