import { type Connection, type Model, Schema } from 'mongoose';

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
}

export type ResetTokenModel = Model<StoredResetToken>;

const resetTokenSchema = new Schema<StoredResetToken>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    emailDigest: { type: String, required: true },
    passwordChangeId: { type: String, default: null },
    expiresAt: { type: Date, required: true },
  },
  { collection: 'reset_tokens', versionKey: false },
);
resetTokenSchema.index({ accountId: 1 });
// The database removes expired tokens within about a minute. Their validity does not depend on it.
resetTokenSchema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

/** The collection of reset tokens of a connection. */
export const resetTokenModel = (connection: Connection): ResetTokenModel =>
  connection.model<StoredResetToken>('ResetToken', resetTokenSchema);
