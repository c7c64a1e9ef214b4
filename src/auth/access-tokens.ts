import { inTime } from '../database/patience.ts';
import type { AccessTokenModel, StoredAccessToken } from '../models/access-token.model.ts';
import { newId } from '../models/account.model.ts';
import { formatToken, generateSecret, hashSecret, parseToken, secretMatches } from './token-format.ts';

/** What a token is called and may do (contract section 2). No abilities stored means unrestricted. */
export interface TokenKind {
  name: string;
  abilities: string[] | null;
}

export const DOCTOR_REGISTRATION_TOKEN: TokenKind = {
  name: 'doctor-token',
  abilities: ['create', 'update', 'delete'],
};
export const AUTH_TOKEN: TokenKind = { name: 'auth-token', abilities: null };

/** A token about to be stored, and the only copy of its plain text. */
export interface NewAccessToken {
  record: StoredAccessToken;
  plainText: string;
}

/** Opaque bearer tokens: shown once, stored as a hash, looked up by id. */
export class AccessTokens {
  /** @param prefix what the secrets of new tokens begin with; may be empty */
  constructor(
    private readonly tokens: AccessTokenModel,
    private readonly prefix: string,
  ) {}

  /** Makes a token without storing it. */
  create(accountId: string, { name, abilities }: TokenKind): NewAccessToken {
    const tokenId = newId();
    const secret = generateSecret(this.prefix);
    const record = {
      _id: tokenId,
      accountId,
      name,
      abilities,
      secretHash: hashSecret(secret),
      createdAt: new Date(),
      lastUsedAt: null,
      expiresAt: null,
    };
    return { record, plainText: formatToken({ tokenId, secret }) };
  }

  /** Stores a token made by {@link create}. */
  async store({ record }: NewAccessToken): Promise<void> {
    await inTime(() => this.tokens.insertOne(record));
  }

  /**
   * Finds the stored token that a caller presents.
   * @param presented the plain text, as the bearer header carries it
   * @returns undefined when its shape is wrong, its id unknown, its secret another or its time over: alike to the caller
   */
  async find(presented: string): Promise<StoredAccessToken | undefined> {
    const parsed = parseToken(presented);
    if (!parsed) return undefined;
    const stored = await inTime(() => this.tokens.findById(parsed.tokenId).lean<StoredAccessToken>());
    if (!stored || !secretMatches(parsed.secret, stored.secretHash)) return undefined;
    return stored.expiresAt && stored.expiresAt <= new Date() ? undefined : stored;
  }

  /** All tokens of an account, the newest first. */
  list(accountId: string): Promise<StoredAccessToken[]> {
    return inTime(() =>
      this.tokens.find({ accountId }).sort({ createdAt: -1, _id: -1 }).lean<StoredAccessToken[]>(),
    );
  }

  /**
   * Revokes one token of an account.
   * @returns false when there was none: two logouts with one token at once have one winner
   */
  async revoke(accountId: string, tokenId: string): Promise<boolean> {
    return (await inTime(() => this.tokens.deleteOne({ _id: tokenId, accountId }))).deletedCount === 1;
  }

  /** Revokes every token of an account but one, and says how many those were. */
  async revokeOthers(accountId: string, keptTokenId: string): Promise<number> {
    return (await inTime(() => this.tokens.deleteMany({ accountId, _id: { $ne: keptTokenId } })))
      .deletedCount;
  }
}
