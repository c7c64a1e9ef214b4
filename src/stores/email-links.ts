import { Schema } from 'mongoose';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { Store } from './store.ts';

/** A stored link that proves an e-mail. Its plain text is nowhere in the database. */
export interface StoredEmailLink {
  /** SHA-256 of the token of the link, in hex. Its 256 random bits need no slow hash. */
  _id: string;
  accountId: string;
  /** Digest of the e-mail that the account had. If the e-mail changes, the link is not valid any more. */
  emailDigest: string;
  /** The last change of the password before the link was made; null if there was none. Another one ends the link. */
  passwordChangeId: string | null;
  /** The e-mail that the account gets by this link, to which it was mailed; absent if the link proves the present one. */
  newEmail?: string;
  expiresAt: Date;
}

export const emailLinkSchema = new Schema<StoredEmailLink>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    emailDigest: { type: String, required: true },
    passwordChangeId: { type: String, default: null },
    newEmail: String,
    expiresAt: { type: Date, required: true },
  },
  { collection: 'email_proofs' },
);
emailLinkSchema.index({ accountId: 1 });
// The database removes expired links within about a minute. Their validity does not depend on it.
emailLinkSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** More than an account may have in a day: seven in an hour for each mailbox, and ten changes. A longer list is cut. */
const MAX_LISTED = 200;

/** The links that prove an e-mail. Each is valid until it expires, and only as long as it fits its account. */
export class EmailLinkStore extends Store<StoredEmailLink> {
  constructor(database: LimitedConnection) {
    super(database, emailLinkSchema);
  }

  insert(link: StoredEmailLink): Promise<void> {
    return this.records.insert(link);
  }

  /** @returns undefined for a link that is unknown or expired at `now` */
  async find(id: string, now: Date): Promise<StoredEmailLink | undefined> {
    // The database removes expired links late, and by its own clock.
    const filter = { _id: id, expiresAt: { $gt: now } };
    return this.records.first(filter);
  }

  /** Removes a link that was used. */
  async remove(id: string): Promise<void> {
    await this.records.remove({ _id: id });
  }

  /** Removes all links of an account. */
  async removeAll(accountId: string): Promise<void> {
    await this.records.removeAll({ accountId });
  }

  /** The links of an account that are not removed yet. */
  pending(accountId: string): Promise<StoredEmailLink[]> {
    return this.records.list({ accountId }, { limit: MAX_LISTED });
  }
}
