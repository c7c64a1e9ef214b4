import type { Outbox } from '../../mail/outbox.ts';
import {
  type AccountStore,
  emailVerifiedAtOf,
  isOpenedByReset,
  type StoredAccount,
} from '../../stores/accounts.ts';
import { emailDigest, emailKey } from '../../stores/email-key.ts';
import type { EventNote } from '../../stores/event-notes.ts';
import type { StoredResetToken } from '../../stores/reset-tokens.ts';
import { InvalidCredentialsError, InvalidResetTokenError, NotFoundError } from '../../system/errors.ts';
import type { AuditSubject } from '../audit/audit-trail.ts';
import { accountSubject, nameAccount, type RecordedActs } from '../audit/recorded-acts.ts';
import type { Caller } from '../caller.ts';
import { isBoundTo } from '../link-tokens.ts';
import { commit } from '../running-act.ts';
import type { ActThrottle } from '../throttle/act-throttle.ts';
import type { LoginThrottle } from '../throttle/login-throttle.ts';
import { during } from '../throttle/throttle-limits.ts';
import type { Session } from '../tokens/sessions.ts';
import type { FullProof } from '../two-factor/second-factor.ts';
import type { ChosenPassword, PasswordChanges } from './password-changes.ts';
import type { PasswordResetTokens } from './password-reset-tokens.ts';
import { asFieldError, type Reauthenticator } from './reauthenticator.ts';

interface PasswordsParts {
  accounts: AccountStore;
  reauthenticator: Reauthenticator;
  passwordChanges: PasswordChanges;
  passwordResetTokens: PasswordResetTokens;
  acts: RecordedActs;
  loginThrottle: LoginThrottle;
  actThrottle: ActThrottle;
  outbox: Outbox;
}

export interface PasswordChangeRequest extends FullProof {
  currentPassword?: string | undefined;
  newPassword: string;
  /** True if all tokens but the presented one end. */
  revokeOtherTokens: boolean;
}

export interface PasswordReset {
  token: string;
  newPassword: string;
  /** If it is given, it must be that of the account. */
  email: string | undefined;
}

/** One mail a minute for each e-mail, as in Laravel. */
const REQUEST_PAUSE_MILLIS = 60_000;

const NO_MAIL = 'Passwords are not reset by e-mail here. Ask the operator for a reset link.';

/** Changes and resets passwords (docs/contract.md, "Changed and forgotten passwords"). Its input is already validated. */
export class Passwords {
  constructor(private readonly parts: PasswordsParts) {}

  /**
   * Changes the password of the caller's account.
   * @returns how many tokens were revoked
   * @throws ValidationError on `currentPassword` when it is wrong; TooManyAttemptsError, ServiceUnavailableError
   */
  async change(request: PasswordChangeRequest, { account, token }: Session, caller: Caller): Promise<number> {
    const { acts, reauthenticator } = this.parts;
    const { currentPassword, newPassword, revokeOtherTokens } = request;
    const change = acts.record(accountSubject('password change', account), caller, async () => {
      const stored = await reauthenticator.check(account, currentPassword, caller, request);
      const kept = revokeOtherTokens ? { tokenId: token._id } : 'all';
      const revoked = await this.#countAndSet(stored, { newPassword, kept }, caller);
      return { result: revoked, facts: { revoked } };
    });
    return change.catch((error: unknown) => {
      throw asFieldError(error, 'currentPassword');
    });
  }

  #countAndSet(account: StoredAccount, choice: ChosenPassword, caller: Caller): Promise<number> {
    const { passwordChanges, actThrottle } = this.parts;
    return during(actThrottle.count('password-changes', account._id), async () => {
      const revoked = await passwordChanges.set(account, choice, caller);
      if (revoked === undefined) {
        throw new InvalidCredentialsError('changed meanwhile');
      }
      return revoked;
    });
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
      await this.#orderResetMail(email, caller);
      return { result: undefined };
    });
  }

  async #orderResetMail(email: string, { ip }: Caller): Promise<void> {
    const { outbox, loginThrottle } = this.parts;
    const order = { kind: 'password reset', to: { email } } as const;
    const limit = { key: `password reset ${emailDigest(email)}`, perMillis: REQUEST_PAUSE_MILLIS };
    const counting = loginThrottle.countLinkRequest('reset', { email, ip });
    await during(counting, () => commit(() => outbox.add(order, { limit, orderedFrom: ip })));
  }

  /**
   * Sets a new password with a reset token, and revokes all tokens of the account. A token that was mailed proves the e-mail, and opens an
   * account that was closed before anybody had proven it. An attempt with an invalid token counts with
   * the failed logins from there. One with a valid token passes in any case: nobody guesses 256 bits, and neighbours on the same
   * network must not keep it out.
   * @throws InvalidResetTokenError when the token is unknown, used or expired, the account is disabled, or it has another
   *   e-mail; TooManyAttemptsError, ServiceUnavailableError
   */
  reset(reset: PasswordReset, caller: Caller): Promise<void> {
    const { acts, loginThrottle } = this.parts;
    const subject: AuditSubject = { act: 'password reset' };
    return acts.record(subject, caller, async (note) => {
      const use = this.#useResetToken(reset, subject, note, caller);
      const revoked = await use.catch(async (error: unknown) => {
        if (error instanceof InvalidResetTokenError) {
          await loginThrottle.countSender(caller.ip);
        }
        throw error;
      });
      return { result: undefined, facts: { revoked } };
    });
  }

  /**
   * The steps of a reset:
   *
   * 1. Find the token and its account. An invalid token costs no hash.
   * 2. Hash. The queue may refuse it, and then the token is still valid.
   * 3. Set the password, which ends all sessions and links, this token, too (password-changes.ts). Of simultaneous requests, one succeeds.
   *
   * @param subject gets the account as soon as it is known
   * @returns how many tokens were revoked
   */
  async #useResetToken(
    { token, newPassword, email }: PasswordReset,
    subject: AuditSubject,
    note: EventNote,
    caller: Caller,
  ): Promise<number> {
    const { passwordResetTokens, passwordChanges } = this.parts;
    const found = await passwordResetTokens.find(token);
    const account = found && (await this.#accountOf(found, email));
    if (!account) {
      throw new InvalidResetTokenError();
    }
    nameAccount(subject, account);
    const firstProof = found.mailed === true && !emailVerifiedAtOf(account) ? note : undefined;
    if (firstProof) {
      subject.cause = 'the e-mail is proven';
    }
    const choice: ChosenPassword = { newPassword, kept: { tokenId: null }, firstProof };
    const revoked = await passwordChanges.set(account, choice, caller);
    if (revoked === undefined) {
      throw new InvalidResetTokenError();
    }
    if (isOpenedByReset(account)) {
      subject.act = 'enabling';
    }
    return revoked;
  }

  /** @returns undefined if the token is not valid for the account, or the account has another e-mail than this one */
  async #accountOf(token: StoredResetToken, email: string | undefined): Promise<StoredAccount | undefined> {
    const account = await this.parts.accounts.findWithPassword(token.accountId);
    const isOther = (mine: string) => email !== undefined && emailKey(email) !== emailKey(mine);
    const isUsable = !account?.disabledAt || (token.mailed === true && isOpenedByReset(account));
    return account && isUsable && isBoundTo(token, account) && !isOther(account.email) ? account : undefined;
  }
}
