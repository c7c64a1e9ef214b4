import { createHash, randomBytes } from 'node:crypto';
import type { AccountStore, StoredAccount } from '../../stores/accounts.ts';
import { emailDigest } from '../../stores/email-key.ts';
import type { ResetTokenStore, StoredResetToken } from '../../stores/reset-tokens.ts';
import type { Clock } from '../../system/clock.ts';
import { NotFoundError } from '../../system/errors.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { recordedByOperator } from '../audit/recorded-acts.ts';
import type { Actor } from '../caller.ts';

/** How long a token is valid. */
export const RESET_TOKEN_MINUTES = 60;

const TOKEN_BYTES = 32;
/** {@link TOKEN_BYTES} in base64url. */
const SHAPE = /^[\w-]{43}$/;

/** A new token. Its plain text is shown only once, to the owner of the account. */
interface NewResetToken {
  token: string;
  expiresAt: Date;
}

/**
 * Tokens that allow to set a new password, each once (OWASP ASVS 6.4.3, Forgot Password Cheat Sheet). An account may have
 * several: a person may ask again before the first mail arrives, and then use either.
 */
export class ResetTokens {
  constructor(
    private readonly store: ResetTokenStore,
    private readonly clock: Clock,
  ) {}

  /**
   * Makes and stores a token for an account.
   * @param account as it was read with its password
   */
  async make(account: StoredAccount): Promise<NewResetToken> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const expiresAt = new Date(this.clock.now() + RESET_TOKEN_MINUTES * 60_000);
    await this.store.insert({ _id: digestOf(token), ...boundTo(account), expiresAt });
    return { token, expiresAt };
  }

  /**
   * Finds a valid token. It stays valid. Whether it {@link isValidFor} its account is another question.
   * @returns undefined if it is unknown, used or expired. All of these cost one query
   */
  find(token: string): Promise<StoredResetToken | undefined> {
    return this.store.find(digestOf(SHAPE.test(token) ? token : ''), new Date(this.clock.now()));
  }

  /**
   * Uses a token up.
   * @returns false if it is not valid any more. Of simultaneous calls with one token, only one gets true
   */
  use({ _id }: StoredResetToken): Promise<boolean> {
    return this.store.use(_id, new Date(this.clock.now()));
  }

  /** Makes all tokens of an account invalid. */
  forget(accountId: string): Promise<void> {
    return this.store.removeAll(accountId);
  }
}

/** The stored form of a token. */
const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** What a token is bound to: it is valid until the next change of the e-mail or the password. */
const boundTo = ({ _id, email, passwordChange }: StoredAccount) => ({
  accountId: _id,
  emailDigest: emailDigest(email),
  passwordChangeId: passwordChange?.id ?? null,
});

/**
 * True if a token is valid for its account.
 * @param account as it was read with its password
 */
export function isValidFor(token: StoredResetToken, account: StoredAccount): boolean {
  const { accountId, emailDigest, passwordChangeId } = boundTo(account);
  return (
    !account.disabledAt &&
    token.accountId === accountId &&
    token.emailDigest === emailDigest &&
    token.passwordChangeId === passwordChangeId
  );
}

/** A link to set a new password, for the owner of an account. It is shown only once. */
export interface ResetLink extends NewResetToken {
  /** Undefined without PASSWORD_RESET_URL: then the owner types the token. */
  url: string | undefined;
}

interface ResetLinksParts {
  accounts: AccountStore;
  resetTokens: ResetTokens;
  audit: AuditTrail;
  /** PASSWORD_RESET_URL. */
  urlTemplate: string | undefined;
}

/** The URL of a reset link. */
export const resetUrl = (template: string, token: string): string => template.replace('{token}', token);

/** Reset links that an operator gives to the owner of an account. */
export class ResetLinks {
  constructor(private readonly parts: ResetLinksParts) {}

  /**
   * Makes a link, and records that.
   * @throws NotFoundError when no account has the id, or it is disabled: the link would not work
   */
  async make(accountId: string, actor: Actor): Promise<ResetLink> {
    const { accounts, resetTokens, audit, urlTemplate } = this.parts;
    const account = await accounts.findWithPassword(accountId);
    const subject = { act: 'reset link', accountId, ...(account && { email: account.email }) } as const;
    return recordedByOperator(audit, subject, actor, async () => {
      if (!account) {
        throw new NotFoundError('No account has this id.');
      }
      if (account.disabledAt) {
        throw new NotFoundError('The account is disabled: enable it first.');
      }
      const made = await resetTokens.make(account);
      return { result: { ...made, url: urlTemplate && resetUrl(urlTemplate, made.token) } };
    });
  }
}
