import { Schema } from 'mongoose';

/** A stored access token. It has only the SHA-256 of its secret. */
export interface StoredAccessToken {
  _id: string;
  accountId: string;
  name: string;
  /** SHA-256 of everything behind the first `|` of the plain-text token, in hex (Sanctum's `token` column). */
  secretHash: string;
  /** The abilities of the token; null means unrestricted (none were set). */
  abilities: string[] | null;
  /** Null or absent in imported tokens whose time of issue is not known. */
  createdAt: Date | null;
  lastUsedAt: Date | null;
  expiresAt: Date | null;
  /** When it may be removed if it is not used before; null if it has no idle limit. */
  idleExpiresAt: Date | null;
  /** The address that it was issued to. Absent if it is not known: the token is imported, or of an earlier version. */
  ip?: string;
  /** The program that it was issued to, such as "Firefox on Android". Absent if it is not known. */
  device?: string;
  /** The methods that proved its owner (RFC 8176). Absent if nothing is claimed: the token is imported, or of an earlier version. */
  amr?: string[];
  /** When they last did. Absent like {@link amr}. */
  authTime?: Date;
  /** The token comes from a legacy service, so its secret may be presented without its id. Absent in all other tokens. */
  imported?: true;
  /** It was issued to staff. Absent in all other tokens, and in those of an earlier version. */
  staff?: true;
}

export const ACCESS_TOKENS = 'access_tokens';

export const accessTokenSchema = new Schema<StoredAccessToken>(
  {
    _id: { type: String, required: true },
    accountId: { type: String, required: true },
    name: { type: String, required: true },
    secretHash: { type: String, required: true },
    abilities: { type: [String], default: null },
    createdAt: Date,
    lastUsedAt: { type: Date, default: null },
    expiresAt: { type: Date, default: null },
    idleExpiresAt: { type: Date, default: null },
    ip: String,
    device: String,
    amr: [String],
    authTime: Date,
    imported: Boolean,
    staff: Boolean,
  },
  { collection: ACCESS_TOKENS },
);
/** The order of an account's tokens in their index. */
export const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;

// The tokens of an account, the newest or the oldest first. Nothing limits their number.
accessTokenSchema.index({ accountId: 1, ...NEWEST_FIRST });
// For secrets that are presented without an id. Tokens of this service take no space in it.
accessTokenSchema.index({ secretHash: 1 }, { partialFilterExpression: { imported: true } });
// The database removes expired tokens. Tokens without an end take no space in these indexes.
for (const end of ['expiresAt', 'idleExpiresAt'] as const) {
  const partialFilterExpression = { [end]: { $type: 'date' } };
  accessTokenSchema.index({ [end]: 1 }, { expireAfterSeconds: 0, partialFilterExpression });
}
