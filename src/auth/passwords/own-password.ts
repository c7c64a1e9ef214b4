import type { Account, AccountStore, StoredAccount } from '../../stores/accounts.ts';
import { InvalidCredentialsError, ValidationError } from '../../system/errors.ts';
import { type Caller, knownRequester } from '../caller.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import type { PasswordHasher } from './password-hasher.ts';

interface OwnPasswordParts {
  accounts: AccountStore;
  hasher: PasswordHasher;
  throttle: LoginThrottle;
}

/** Checks the password of somebody who is logged in: a stolen token alone must not be enough (OWASP ASVS 6.2.3). */
export class OwnPassword {
  constructor(private readonly parts: OwnPasswordParts) {}

  /**
   * Checks the password of the caller's account. Attempts count together with the logins to its e-mail.
   * @returns the account with its password
   * @throws InvalidCredentialsError when the password is wrong, or the account is gone or disabled meanwhile;
   *   TooManyAttemptsError, ServiceUnavailableError
   */
  async check({ id, email }: Account, password: string, caller: Caller): Promise<StoredAccount> {
    const { throttle } = this.parts;
    const attempt = await throttle.countOwnPassword({ email, ip: caller.ip });
    try {
      const account = await this.#verify(id, password, caller);
      await attempt.succeeded();
      return account;
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
