import type { Account, AccountStore, StoredAccount } from '../../stores/accounts.ts';
import { broken } from '../../system/error-details.ts';
import { InvalidCredentialsError, ValidationError } from '../../system/errors.ts';
import { type Caller, knownRequester } from '../caller.ts';
import type { PasskeyProofs } from '../passkeys/passkey-proofs.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import { AMR } from '../tokens/assurance.ts';
import { type FullProof, isGiven, type SecondFactor } from '../two-factor/second-factor.ts';
import type { PasswordHasher } from './password-hasher.ts';

interface ReauthenticatorParts {
  accounts: AccountStore;
  hasher: PasswordHasher;
  loginThrottle: LoginThrottle;
  secondFactor: SecondFactor;
  passkeyProofs: PasskeyProofs;
}

/** Checks the password, or a passkey, of somebody who is logged in: a stolen token alone must not be enough (OWASP ASVS 6.2.3). */
export class Reauthenticator {
  constructor(private readonly parts: ReauthenticatorParts) {}

  /**
   * Checks the password of the caller's account, and its second factor if a login asks for one. Attempts count together with the logins
   * to its e-mail. A passkey takes the place of both.
   * @param password may be absent beside a passkey
   * @param proof code and recovery code are read only if the password was right
   * @returns the account with its password
   * @throws InvalidCredentialsError when the password is wrong, or the account is gone or disabled meanwhile;
   *   InvalidProofError, PasswordBlockedError, InvalidPasskeyError; TooManyAttemptsError, ServiceUnavailableError
   */
  async check(
    account: Account,
    password: string | undefined,
    caller: Caller,
    proof: FullProof,
  ): Promise<StoredAccount> {
    return (await this.prove(account, password, caller, proof)).account;
  }

  /**
   * Checks what {@link check} does.
   * @returns also the methods that have proved the owner now
   * @throws what {@link check} throws
   */
  async prove(
    { id, email }: Account,
    password: string | undefined,
    caller: Caller,
    proof: FullProof,
  ): Promise<{ account: StoredAccount; amr: readonly string[] }> {
    const { loginThrottle, secondFactor, passkeyProofs } = this.parts;
    if (isGiven(proof.credential)) {
      return { account: await passkeyProofs.confirm(id, proof.credential, caller), amr: AMR.passkey };
    }
    const attempt = await loginThrottle.countOwnPassword({ email, ip: caller.ip });
    try {
      const account = await this.#verify(id, password ?? '', caller);
      await attempt.succeeded();
      const isPasswordEnough = secondFactor.methodsOf(account).length === 0;
      const amr = isPasswordEnough ? AMR.password : await secondFactor.verify(account, proof, caller);
      return { account, amr };
    } catch (error) {
      await attempt.failed(error);
      throw error;
    }
  }

  async #verify(id: string, password: string, caller: Caller): Promise<StoredAccount> {
    const { accounts, hasher } = this.parts;
    const account = await accounts.findWithPassword(id);
    const match = await caller.timeBudget.pauseFor(() =>
      hasher.verify(password, account?.passwordHash, { requester: knownRequester(caller) }),
    );
    if (!match || !account || account.disabledAt) {
      throw new InvalidCredentialsError('wrong password');
    }
    return account;
  }
}

/**
 * Turns a wrong password into a validation error of a field: its sender is logged in. The text is Laravel's for its rule
 * `current_password`. The audit trail has the error itself, like that of a login.
 * @returns any other error as it is
 */
export const asFieldError = (error: unknown, field: string): unknown =>
  error instanceof InvalidCredentialsError
    ? new ValidationError({ [field]: broken('wrong', 'The password is incorrect.') })
    : error;

/** The same for `password`, as what `catch` calls. */
export const onPassword = (error: unknown): never => {
  throw asFieldError(error, 'password');
};
