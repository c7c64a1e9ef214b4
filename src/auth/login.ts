import type { AccountStore, StoredAccount } from '../stores/accounts.ts';
import {
  type FieldErrors,
  InvalidCredentialsError,
  InvalidProofError,
  TwoFactorRequiredError,
  TwoFactorSetupRequiredError,
} from '../system/errors.ts';
import type { Logger } from '../system/log.ts';
import type { AuditSubject, AuditTrail, Recorded } from './audit/audit-trail.ts';
import { nameAccount, type RecordedActs } from './audit/recorded-acts.ts';
import { type Caller, knownRequester } from './caller.ts';
import type { Features } from './features.ts';
import type { PasswordChanges } from './passwords/password-changes.ts';
import type { PasswordHasher, PasswordMatch } from './passwords/password-hasher.ts';
import type { Authenticated } from './registration.ts';
import type { SessionIssuer } from './session-issuer.ts';
import type { CountedLogin, LoginThrottle } from './throttle/login-throttle.ts';
import { AMR } from './tokens/assurance.ts';
import type { LoginChallenges } from './two-factor/login-challenges.ts';
import type { TwoFactorPolicy } from './two-factor/policy.ts';
import { isProof, type Proof, type SecondFactor } from './two-factor/second-factor.ts';

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
  acts: RecordedActs;
  features: Features;
  hasher: PasswordHasher;
  loginThrottle: LoginThrottle;
  audit: AuditTrail;
  sessionIssuer: SessionIssuer;
  passwordChanges: PasswordChanges;
  secondFactor: SecondFactor;
  loginChallenges: LoginChallenges;
  twoFactorPolicy: TwoFactorPolicy;
  log: Logger;
}

/** The steps of a login with a password. */
export class Login {
  constructor(private readonly parts: LoginParts) {}

  /**
   * Logs in (docs/contract.md, "Login"), and records the outcome. Earlier tokens stay valid, unless their number is limited.
   * @throws InvalidCredentialsError, the same for an unknown e-mail, a wrong password, a disabled account and one that cannot be shown;
   *   TooManyAttemptsError, ServiceUnavailableError; TwoFactorRequiredError, TwoFactorSetupRequiredError, PasswordBlockedError
   */
  run(credentials: Credentials, caller: Caller): Promise<Authenticated> {
    return this.parts.acts.complete(caller, () => this.#run(credentials, caller));
  }

  async #run({ email, password, ...proof }: Credentials, caller: Caller): Promise<Recorded<Authenticated>> {
    const { loginThrottle, accounts, audit, passwordChanges, sessionIssuer } = this.parts;
    const subject: AuditSubject = { act: 'login', email };
    let attempt: CountedLogin | undefined;
    try {
      attempt = await loginThrottle.countLogin({ email, ip: caller.ip });
      const found = await accounts.findForLogin(email);
      if (found) {
        subject.accountId = found._id;
      }
      const { account, match } = await this.#verify(found, password, caller, attempt);
      await attempt.succeeded();
      await passwordChanges.finish(account);
      await this.#upgradeHash(account, match, caller);
      const amr = await this.#proveMore(account, proof, caller);
      return await sessionIssuer.open(account, amr, subject, caller);
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
  complete(completion: Completion, caller: Caller): Promise<Authenticated> {
    return this.parts.acts.complete(caller, () => this.#complete(completion, caller));
  }

  async #complete({ challenge, ...proof }: Completion, caller: Caller): Promise<Recorded<Authenticated>> {
    const { features, loginChallenges, secondFactor, audit, sessionIssuer } = this.parts;
    features.demand('second factor');
    const subject: AuditSubject = { act: 'login' };
    try {
      const found = await loginChallenges.find(challenge, 'login', caller);
      const { account } = found;
      nameAccount(subject, account);
      await sessionIssuer.refuseUnfit(account, caller);
      const amr = await loginChallenges.try(found.challenge, () =>
        secondFactor.verify(account, proof, caller),
      );
      await loginChallenges.use(found.challenge);
      return await sessionIssuer.open(account, amr, subject, caller);
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
    const { secondFactor, loginChallenges, twoFactorPolicy } = this.parts;
    const methods = secondFactor.methodsOf(account);
    if (methods.length > 0) {
      const challengeFor = async (errors: FieldErrors) =>
        new TwoFactorRequiredError(errors, methods, await loginChallenges.make(account, 'login'));
      if (!isProof(proof)) {
        await secondFactor.refuseBlocked(account);
        throw await challengeFor(secondFactor.missingTexts(account));
      }
      return secondFactor.verify(account, proof, caller).catch(async (error: unknown) => {
        throw error instanceof InvalidProofError ? await challengeFor(error.fields) : error;
      });
    }
    if (caller.audience.needsSecondFactor) {
      throw new InvalidCredentialsError('no second factor');
    }
    if (twoFactorPolicy.isDue(account)) {
      throw new TwoFactorSetupRequiredError(await loginChallenges.make(account, 'setup'));
    }
    return AMR.password;
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
    const { hasher, sessionIssuer } = this.parts;
    const accept = async () => account && sessionIssuer.refuseUnfit(account, caller);
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
}
