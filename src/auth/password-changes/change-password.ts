import type { StoredAccount } from '../../stores/accounts.ts';
import { InvalidCredentialsError } from '../../system/errors/errors.ts';
import type { AuditSubject, AuditTrail, Recorded } from '../audit/audit-trail.ts';
import type { Caller } from '../caller.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import type { Session } from '../tokens/access-tokens.ts';
import type { Choice, NewPasswords } from './new-passwords.ts';
import { asFieldError, type OwnPassword } from './own-password.ts';

export interface PasswordChangeRequest {
  currentPassword: string;
  newPassword: string;
  /** True if all tokens but the presented one end. */
  revokeOtherTokens: boolean;
}

interface ChangePasswordParts {
  ownPassword: OwnPassword;
  newPasswords: NewPasswords;
  actThrottle: ActThrottle;
  audit: AuditTrail;
}

/** The steps of a change of the password by somebody who knows it. */
export class ChangePassword {
  constructor(private readonly parts: ChangePasswordParts) {}

  /**
   * Changes the password, and records the outcome.
   * @returns how many tokens were revoked
   * @throws ValidationError on `currentPassword` when it is wrong; TooManyAttemptsError, ServiceUnavailableError
   */
  async run(
    { currentPassword, newPassword, revokeOtherTokens }: PasswordChangeRequest,
    { account, token }: Session,
    caller: Caller,
  ): Promise<Recorded<number>> {
    const { ownPassword, audit } = this.parts;
    const subject: AuditSubject = { act: 'password change', email: account.email, accountId: account.id };
    try {
      const stored = await ownPassword.check(account, currentPassword, caller);
      const kept = revokeOtherTokens ? { tokenId: token._id } : 'all';
      const revoked = await this.#set(stored, { newPassword, kept }, caller);
      return { result: revoked, written: audit.write({ ...subject, revoked }, caller) };
    } catch (error) {
      void audit.write(subject, caller, error);
      throw asFieldError(error, 'currentPassword');
    }
  }

  /** Counts a change before it is made, so that simultaneous ones cannot exceed the limit together. */
  async #set(account: StoredAccount, choice: Choice, caller: Caller): Promise<number> {
    const { newPasswords, actThrottle } = this.parts;
    const counted = await actThrottle.countPasswordChange(account._id);
    try {
      const revoked = await newPasswords.set(account, choice, caller);
      if (revoked === undefined) {
        throw new InvalidCredentialsError('changed meanwhile');
      }
      return revoked;
    } catch (error) {
      await counted.giveBack();
      throw error;
    }
  }
}
