import { type Account, type AccountStore, factorsOf, type StoredAccount } from '../../stores/accounts.ts';
import { InvalidCredentialsError, ValidationError } from '../../system/errors.ts';
import { type Caller, knownRequester } from '../caller.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import { AMR } from '../tokens/assurance.ts';
import type { Proof, SecondFactor } from '../two-factor/second-factor.ts';
import type { PasswordHasher } from './password-hasher.ts';

interface OwnPasswordParts {
  accounts: AccountStore;
  hasher: PasswordHasher;
  throttle: LoginThrottle;
  secondFactor: SecondFactor;
}

/** Checks the password of somebody who is logged in: a stolen token alone must not be enough (OWASP ASVS 6.2.3). */
export class OwnPassword {
  constructor(private readonly parts: OwnPasswordParts) {}

  /**
   * Checks the password of the caller's account, and its second factor if it has one. Attempts count together with the logins to its
   * e-mail.
   * @param proof is read only if the account has a second factor, and the password was right
   * @returns the account with its password
   * @throws InvalidCredentialsError when the password is wrong, or the account is gone or disabled meanwhile;
   *   InvalidProofError, PasswordBlockedError; TooManyAttemptsError, ServiceUnavailableError
   */
  async check(account: Account, password: string, caller: Caller, proof: Proof): Promise<StoredAccount> {
    return (await this.prove(account, password, caller, proof)).account;
  }

  /**
   * Checks what {@link check} does.
   * @returns also the methods that have proved the owner now
   * @throws what {@link check} throws
   */
  async prove(
    { id, email }: Account,
    password: string,
    caller: Caller,
    proof: Proof,
  ): Promise<{ account: StoredAccount; amr: readonly string[] }> {
    const { throttle } = this.parts;
    const attempt = await throttle.countOwnPassword({ email, ip: caller.ip });
    try {
      const account = await this.#verify(id, password, caller);
      await attempt.succeeded();
      const amr = factorsOf(account)
        ? await this.parts.secondFactor.verify(account, proof, caller)
        : AMR.password;
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
    ? new ValidationError({ [field]: ['The password is incorrect.'] })
    : error;
