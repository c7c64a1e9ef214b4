import type { Outbox } from '../../mail/outbox.ts';
import type { AccountStore, StoredAccount } from '../../stores/accounts.ts';
import type { OperatorActStore } from '../../stores/operator-acts.ts';
import type { ResetTokenStore, StoredResetToken } from '../../stores/reset-tokens.ts';
import type { Clock } from '../../system/clock.ts';
import { BadRequestError, NotFoundError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import type { AuditTrail, RecordedOutcome } from '../audit/audit-trail.ts';
import { recordedByOperator } from '../audit/recorded-acts.ts';
import type { Actor } from '../caller.ts';
import { boundTo, digestOfToken, linkUrl, type NewLinkToken, randomLinkToken } from '../link-tokens.ts';
import { noteCommand } from '../operators/guarded-acts.ts';
import { BY_OPERATOR } from '../owner-notices.ts';

/** How long a token is valid. */
export const RESET_TOKEN_MINUTES = 60;

/**
 * Tokens that allow to set a new password, each once (OWASP ASVS 6.4.3, Forgot Password Cheat Sheet). An account may have
 * several: a person may ask again before the first mail arrives, and then use either.
 */
export class PasswordResetTokens {
  constructor(
    private readonly store: ResetTokenStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes and stores a token for an account.
   * @param account as it was read with its password
   * @param to `mail` if it is mailed to the account and shown to nobody else: its use proves the e-mail
   */
  async make(account: StoredAccount, to: 'mail' | 'operator'): Promise<NewLinkToken> {
    const token = randomLinkToken();
    const expiresAt = new Date(this.clock.now() + RESET_TOKEN_MINUTES * 60_000);
    const mailed = to === 'mail' && { mailed: true as const };
    await this.store.insert({ _id: digestOfToken(token), ...boundTo(account), expiresAt, ...mailed });
    return { token, expiresAt };
  }

  /**
   * Finds a valid token. It stays valid. Whether it {@link isValidFor} its account is another question.
   * @returns undefined if it is unknown, used or expired, or sets up an account. All of these cost one query
   */
  async find(token: string): Promise<StoredResetToken | undefined> {
    const found = await this.store.find(digestOfToken(token), new Date(this.clock.now()));
    return found?.setsUp ? undefined : found;
  }
}

/** True if no link to a new password is mailed yet, because an operator has just changed the e-mail. */
export const mayNotReset = (
  { noResetBefore }: { noResetBefore?: Date | null | undefined },
  nowMillis: number,
): boolean => noResetBefore instanceof Date && noResetBefore.getTime() > nowMillis;

/** A link to set a new password, for the owner of an account. It is shown only once. */
export interface ResetLink extends NewLinkToken {
  /** Undefined without PASSWORD_RESET_URL: then the owner types the token. */
  url: string | undefined;
}

interface ResetLinksParts {
  accounts: AccountStore;
  passwordResetTokens: PasswordResetTokens;
  audit: AuditTrail;
  outbox: Outbox;
  operatorActs: OperatorActStore;
  clock: Clock;
  log: Logger;
  /** PASSWORD_RESET_URL. */
  passwordResetUrl: string | undefined;
}

/** Reset links that an operator gives to the owner of an account. */
export class ResetLinks {
  constructor(private readonly parts: ResetLinksParts) {}

  /**
   * Makes a link, and records that.
   * @throws NotFoundError when no account has the id, or it is disabled: the link would not work
   */
  make(accountId: string, actor: Actor): Promise<ResetLink> {
    const { passwordResetTokens, passwordResetUrl } = this.parts;
    return this.#record(accountId, actor, async (account) => {
      const made = await passwordResetTokens.make(account, 'operator');
      return { result: { ...made, url: passwordResetUrl && linkUrl(passwordResetUrl, made.token) } };
    });
  }

  /**
   * Orders a mail with a link, which is made when it is sent and shown to nobody else.
   * @returns the e-mail that it goes to
   * @throws NotFoundError as {@link make}, and when no mails are sent or the address of the page is not known; BadRequestError within a day
   *   after an operator has changed the e-mail
   */
  mail(accountId: string, actor: Actor): Promise<string> {
    const { outbox, passwordResetUrl, clock } = this.parts;
    return this.#record(accountId, actor, async ({ email, noResetBefore }) => {
      if (!outbox.isOn || passwordResetUrl === undefined) {
        throw new NotFoundError('SMTP_URL or PASSWORD_RESET_URL is not set: there are no links to mail.');
      }
      if (mayNotReset({ noResetBefore }, clock.now())) {
        throw new BadRequestError(
          'An operator has just changed the e-mail: no link is mailed there for 24 hours.',
          { status: 409 },
        );
      }
      await outbox.add({ kind: 'password reset', to: { accountId }, facts: BY_OPERATOR });
      return { result: email, facts: { cause: 'by mail' } };
    });
  }

  async #record<T>(
    accountId: string,
    actor: Actor,
    act: (account: StoredAccount) => Promise<RecordedOutcome<T>>,
  ): Promise<T> {
    const { accounts, operatorActs, audit, clock, log } = this.parts;
    const account = await accounts.findWithPassword(accountId);
    const subject = { act: 'reset link', accountId, ...(account && { email: account.email }) } as const;
    return recordedByOperator(audit, subject, actor, async () => {
      if (!account) {
        throw new NotFoundError('No account has this id.');
      }
      if (account.disabledAt) {
        throw new NotFoundError('The account is disabled: enable it first.');
      }
      await accounts.renewAccess([accountId], 'operator’s reset link');
      const outcome = await act(account);
      await noteCommand(operatorActs, accountId, 'reset link', { actor, clock, log });
      return outcome;
    });
  }
}
