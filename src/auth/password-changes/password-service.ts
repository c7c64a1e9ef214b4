import type { Outbox } from '../../mail/outbox.ts';
import { emailDigest } from '../../stores/email-key.ts';
import { NotFoundError } from '../../system/errors.ts';
import type { Caller } from '../caller.ts';
import type { RecordedActs } from '../recorded-acts.ts';
import type { Sessions } from '../sessions.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import type { ChangePassword, PasswordChangeRequest } from './change-password.ts';
import type { PasswordReset, ResetPassword } from './reset-password.ts';

interface PasswordServiceParts {
  changing: ChangePassword;
  resetting: ResetPassword;
  sessions: Sessions;
  acts: RecordedActs;
  throttle: LoginThrottle;
  outbox: Outbox;
}

/** One mail a minute for each e-mail, as in Laravel. */
const REQUEST_PAUSE_MILLIS = 60_000;

const NO_MAIL = 'Passwords are not reset by e-mail here. Ask the operator for a reset link.';

/** Changes and resets passwords (docs/contract.md, "Changed and forgotten passwords"). Its input is already validated. */
export class PasswordService {
  constructor(private readonly parts: PasswordServiceParts) {}

  /**
   * Changes the password of the caller's account.
   * @returns how many tokens were revoked
   * @throws UnauthenticatedError; MissingAbilityError; ValidationError on `currentPassword` when it is wrong;
   *   TooManyAttemptsError, ServiceUnavailableError
   */
  async change(request: PasswordChangeRequest, caller: Caller): Promise<number> {
    const { sessions, acts, changing } = this.parts;
    const session = await sessions.authorize('changePassword', caller);
    return acts.answer(caller, () => changing.run(request, session, caller));
  }

  /**
   * Orders a mail with a reset link. It does not look whether an account has the e-mail. That is done when the mail is written,
   * so answer and time are the same for every e-mail (OWASP ASVS 6.3.8). Requests count with the failed logins from there, and by
   * the e-mail and the place they come from.
   * @throws NotFoundError if no mails are sent; TooManyAttemptsError, ServiceUnavailableError
   */
  async requestReset(email: string, caller: Caller): Promise<void> {
    const { outbox, acts } = this.parts;
    if (!outbox.isOn) {
      throw new NotFoundError(NO_MAIL);
    }
    await acts.record({ act: 'password reset request', email }, caller, async () => {
      await this.#order(email, caller);
      return { result: undefined };
    });
  }

  async #order(email: string, { ip }: Caller): Promise<void> {
    const { outbox, throttle } = this.parts;
    const counted = await throttle.countResetRequest({ email, ip });
    const order = { kind: 'password reset', to: { email } } as const;
    const limit = { key: `password reset ${emailDigest(email)}`, perMillis: REQUEST_PAUSE_MILLIS };
    try {
      await outbox.add(order, { limit, orderedFrom: ip });
    } catch (error) {
      await counted.giveBack();
      throw error;
    }
  }

  /**
   * Sets a new password with a reset token, and revokes all tokens of the account.
   * @throws InvalidResetTokenError when the token is unknown, used or expired, the account is disabled, or it has another
   *   e-mail; TooManyAttemptsError, ServiceUnavailableError
   */
  reset(reset: PasswordReset, caller: Caller): Promise<void> {
    const { acts, resetting } = this.parts;
    return acts.answer(caller, () => resetting.run(reset, caller));
  }
}
