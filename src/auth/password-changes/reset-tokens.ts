import { createHash, randomBytes } from 'node:crypto';
import type { StoredAccount } from '../../stores/accounts.ts';
import { emailDigest } from '../../stores/email-key.ts';
import type { ResetTokenStore, StoredResetToken } from '../../stores/reset-tokens.ts';
import type { Clock } from '../../system/clock.ts';

const TOKEN_BYTES = 32;
/** {@link TOKEN_BYTES} in base64url. */
const SHAPE = /^[\w-]{43}$/;

/** How long a token is valid. */
export const RESET_TOKEN_MINUTES = 60;

/** A new token. Its plain text is shown only once, to the owner of the account. */
export interface NewResetToken {
  token: string;
  expiresAt: Date;
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
export function fits(token: StoredResetToken, account: StoredAccount): boolean {
  const { accountId, emailDigest, passwordChangeId } = boundTo(account);
  return (
    !account.disabledAt &&
    token.accountId === accountId &&
    token.emailDigest === emailDigest &&
    token.passwordChangeId === passwordChangeId
  );
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
   * Finds a valid token. It stays valid. Whether it {@link fits} its account is another question.
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
