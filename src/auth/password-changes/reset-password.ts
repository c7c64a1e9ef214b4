import type { AccountStore, StoredAccount } from '../../stores/accounts.ts';
import { emailKey } from '../../stores/email-key.ts';
import type { StoredResetToken } from '../../stores/reset-tokens.ts';
import { InvalidResetTokenError } from '../../system/errors/errors.ts';
import type { AuditSubject, AuditTrail, Recorded } from '../audit/audit-trail.ts';
import type { Caller } from '../caller.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import type { NewPasswords } from './new-passwords.ts';
import { fits, type ResetTokens } from './reset-tokens.ts';

export interface PasswordReset {
  token: string;
  newPassword: string;
  /** If it is given, it must be that of the account. */
  email: string | undefined;
}

interface ResetPasswordParts {
  accounts: AccountStore;
  resetTokens: ResetTokens;
  newPasswords: NewPasswords;
  throttle: LoginThrottle;
  audit: AuditTrail;
}

/**
 * The steps of a reset of the password. Their order matters:
 *
 * 1. Find the token and its account. An invalid token costs no hash.
 * 2. Hash. The queue may refuse it, and then the token is still valid.
 * 3. Use the token up. Of several racers, one gets on.
 * 4. Set the password, which ends all sessions (password-changes.ts).
 *
 * If the process dies between 3 and 4, nothing has changed but that the person needs another link.
 */
export class ResetPassword {
  constructor(private readonly parts: ResetPasswordParts) {}

  /**
   * Resets the password, and records the outcome. An attempt with an invalid token counts with the failed logins from there. One
   * with a valid token passes in any case: nobody guesses 256 bits, and neighbours on the same network must not keep it out.
   * @throws InvalidResetTokenError, TooManyAttemptsError, ServiceUnavailableError
   */
  async run(reset: PasswordReset, caller: Caller): Promise<Recorded<void>> {
    const { audit, throttle } = this.parts;
    const subject: AuditSubject = { act: 'password reset' };
    try {
      const revoked = await this.#set(reset, subject, caller).catch(async (error: unknown) => {
        if (error instanceof InvalidResetTokenError) {
          await throttle.countSender(caller.ip);
        }
        throw error;
      });
      return { result: undefined, written: audit.write({ ...subject, revoked }, caller) };
    } catch (error) {
      void audit.write(subject, caller, error);
      throw error;
    }
  }

  /**
   * @param subject gets the account as soon as it is known
   * @returns how many tokens were revoked
   */
  async #set(
    { token, newPassword, email }: PasswordReset,
    subject: AuditSubject,
    caller: Caller,
  ): Promise<number> {
    const { resetTokens, newPasswords } = this.parts;
    const found = await resetTokens.find(token);
    const account = found && (await this.#accountOf(found, email));
    if (!account) {
      throw new InvalidResetTokenError();
    }
    Object.assign(subject, { email: account.email, accountId: account._id });
    const beforeChange = async () => {
      if (!(await resetTokens.use(found))) {
        throw new InvalidResetTokenError();
      }
    };
    const revoked = await newPasswords.set(
      account,
      { newPassword, kept: { tokenId: null }, beforeChange },
      caller,
    );
    if (revoked === undefined) {
      throw new InvalidResetTokenError();
    }
    return revoked;
  }

  /** @returns undefined if the token is not valid for the account, or the account has another e-mail than this one */
  async #accountOf(token: StoredResetToken, email: string | undefined): Promise<StoredAccount | undefined> {
    const { accounts } = this.parts;
    const account = await accounts.findWithPassword(token.accountId);
    const isOther = (mine: string) => email !== undefined && emailKey(email) !== emailKey(mine);
    return account && fits(token, account) && !isOther(account.email) ? account : undefined;
  }
}
