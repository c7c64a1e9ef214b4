import { Schema } from 'mongoose';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { Store } from './store.ts';

/** A stored password reset token. Its plain text is nowhere in the database. */
export interface StoredResetToken {
  /** SHA-256 of the plain text, in hex. Its 256 random bits need no slow hash. */
  _id: string;
  accountId: string;
  /** Digest of the e-mail that the account had. If the e-mail changes, the token is not valid any more. */
  emailDigest: string;
  /**
   * The last change of the password before the token was made; null if there was none. After another change the token is not
   * valid any more.
   */
  passwordChangeId: string | null;
  expiresAt: Date;
  /**
   * True if the token was mailed: who uses it reads the mails of the account. Absent if an operator has made it, or an earlier
   * version.
   */
  mailed?: true;
  /** True if the token sets up an account of a reviewer or an operator, and is of no other use. */
  setsUp?: true;
}

export const resetTokenSchema = new Schema<StoredResetToken>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    emailDigest: { type: String, required: true },
    passwordChangeId: { type: String, default: null },
    expiresAt: { type: Date, required: true },
    mailed: Boolean,
    setsUp: Boolean,
  },
  { collection: 'reset_tokens' },
);
resetTokenSchema.index({ accountId: 1 });
// The database removes expired tokens within about a minute. Their validity does not depend on it.
resetTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** Far more than an account may have: one a minute, each for an hour. */
const MAX_LISTED = 100;

/** The reset tokens. Each is valid until it is used or expires, and only as long as it fits its account. */
export class ResetTokenStore extends Store<StoredResetToken> {
  constructor(database: LimitedConnection) {
    super(database, resetTokenSchema);
  }

  insert(token: StoredResetToken): Promise<void> {
    return this.records.insert(token);
  }

  /** @returns undefined for a token that is unknown, used or expired at `now` */
  async find(id: string, now: Date): Promise<StoredResetToken | undefined> {
    return this.records.first(unexpired(id, now));
  }

  /**
   * Uses a token up.
   * @returns false if it is unknown, used or expired at `now`. Of simultaneous calls with one token, only one gets true
   */
  async use(id: string, now: Date): Promise<boolean> {
    return (await this.records.within(this.records.collection.findOneAndDelete(unexpired(id, now)))) !== null;
  }

  /** Removes all tokens of an account. */
  async removeAll(accountId: string): Promise<void> {
    await this.records.removeAll({ accountId });
  }

  /** The tokens of an account that are not removed yet. */
  pending(accountId: string): Promise<StoredResetToken[]> {
    return this.records.list({ accountId }, { limit: MAX_LISTED });
  }
}

/** The database removes expired tokens late, and by its own clock. */
const unexpired = (_id: string, now: Date) => ({ _id, expiresAt: { $gt: now } });
