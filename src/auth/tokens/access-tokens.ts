import { boundedExchange } from '../../database/bounded-exchange.ts';
import type { AccessTokenModel, StoredAccessToken } from '../../stores/access-tokens.ts';
import { type Account, type StoredAccount, toAccount } from '../../stores/accounts/accounts.ts';
import { flawOfAccount, flawOfToken } from '../../stores/flaws.ts';
import type { Ids } from '../../stores/ids.ts';
import type { Clock } from '../../system/clock.ts';
import type { Origin } from '../devices.ts';
import { BATCH_SIZE, type IssuedToken, removeAllBut, removeOldestFirst } from './oldest-first.ts';
import {
  formatToken,
  generateSecret,
  hashSecret,
  type PresentedToken,
  parseToken,
  secretMatches,
} from './token-format.ts';
import { endOf, idleEndOf, isOver, type TokenLifetimes } from './token-lifetimes.ts';
import { type TokenLookUps, type TokenWithAccount, tokenLookUps } from './token-look-up.ts';
import { tokenRemovals } from './token-removals.ts';
import type { TokenUses } from './token-uses.ts';

/** The name and the abilities of a token (docs/contract.md, "Access token"). Without stored abilities it is unrestricted. */
export interface TokenKind {
  name: string;
  abilities: string[] | null;
}

export const DOCTOR_REGISTRATION_TOKEN: TokenKind = {
  name: 'doctor-token',
  abilities: ['create', 'update', 'delete'],
};
export const AUTH_TOKEN: TokenKind = { name: 'auth-token', abilities: null };

/** A new token, and the only copy of its plain text. */
export interface NewAccessToken {
  record: StoredAccessToken;
  plainText: string;
}

/** The account behind a valid token, and that token. */
export interface Session {
  account: Account;
  token: StoredAccessToken;
}

/** The number of logins is not limited, so a list of all tokens could be very long. */
export const MAX_LISTED = 100;

/** The order of the index of an account's tokens. */
const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;
/** The clocks of instances differ by less than this. */
const MAX_AHEAD_MILLIS = 60_000;

/** Opaque bearer tokens. The plain text is shown once, and stored as a hash. */
export class AccessTokens {
  readonly #lookUps: TokenLookUps;
  readonly #removals: ReturnType<typeof tokenRemovals>;

  /**
   * @param prefix the start of the secrets of new tokens; may be empty
   * @param ids of new tokens
   */
  constructor(
    private readonly tokens: AccessTokenModel,
    private readonly uses: TokenUses,
    private readonly lifetimes: TokenLifetimes,
    private readonly prefix: string,
    private readonly clock: Clock,
    private readonly ids: Ids,
  ) {
    this.#lookUps = tokenLookUps(tokens);
    this.#removals = tokenRemovals(tokens);
  }

  /**
   * Makes and stores a token.
   * @param origin where it is issued, for its owner
   * @param beforeStored called with each record that may be stored from then on, for {@link withdraw}
   */
  issue(
    accountId: string,
    kind: TokenKind,
    origin: Origin,
    beforeStored: (record: StoredAccessToken) => void = () => {},
  ): Promise<NewAccessToken> {
    return this.ids.withNew(async (tokenId) => {
      const token = this.#create(tokenId, accountId, { ...kind, ...origin });
      beforeStored(token.record);
      await this.tokens.insertOne(token.record);
      return token;
    });
  }

  #create(tokenId: string, accountId: string, given: TokenKind & Origin): NewAccessToken {
    const secret = generateSecret(this.prefix);
    const createdAt = new Date(this.clock.now());
    const record = {
      _id: tokenId,
      accountId,
      ...given,
      secretHash: hashSecret(secret),
      createdAt,
      lastUsedAt: null,
      expiresAt: endOf({ createdAt, expiresAt: null }, this.lifetimes),
      idleExpiresAt: idleEndOf(createdAt, this.lifetimes),
    };
    return { record, plainText: formatToken({ tokenId, secret }) };
  }

  /** Removes exactly this token, and no imported one with the same id. It is no error if it does not exist. */
  async withdraw({ _id, secretHash }: StoredAccessToken): Promise<void> {
    await this.tokens.deleteOne({ _id, secretHash });
  }

  /**
   * Finds the token that a caller presents, and its account.
   * @param presented the plain text, as the bearer header carries it; of an imported token also its secret alone
   * @returns undefined if its shape or secret is wrong, its id is unknown, it has expired, its account is gone or disabled,
   *   a change of the password has ended it, or one of the two records cannot be shown. The caller cannot tell these apart
   */
  async find(presented: string): Promise<Session | undefined> {
    const parsed = parseToken(presented);
    if (!parsed) {
      return undefined;
    }
    const found = await this.#lookUp(parsed);
    if (!found || flawOfToken(found) || !secretMatches(parsed.secret, found.secretHash)) {
      return undefined;
    }
    const { accounts, ...stored } = found;
    const [account] = accounts;
    if (!account || account.disabledAt || isEnding(account, found) || flawOfAccount(account)) {
      return undefined;
    }
    const token = this.#asOfNow(stored);
    return isOver(token, this.lifetimes, this.clock.now())
      ? undefined
      : { account: toAccount(account), token };
  }

  #lookUp({ tokenId, secret }: PresentedToken): Promise<TokenWithAccount | undefined> {
    const { byId, importedByHash } = this.#lookUps;
    return tokenId === undefined ? importedByHash.load(hashSecret(secret)) : byId.load(tokenId);
  }

  /** Notes that a token is being used. */
  noteUse({ _id }: StoredAccessToken): void {
    this.uses.note(_id);
  }

  /**
   * The valid ones among the newest {@link MAX_LISTED} tokens of an account, the newest first.
   * @returns each with the earliest end that is certain
   */
  async list(accountId: string): Promise<StoredAccessToken[]> {
    const query = this.tokens.find({ accountId }).sort(NEWEST_FIRST).limit(MAX_LISTED);
    const stored = await query.lean<StoredAccessToken[]>();
    const tokens = stored.filter((token) => !flawOfToken(token)).map((token) => this.#asOfNow(token));
    const now = this.clock.now();
    return tokens.filter((token) => !isOver(token, this.lifetimes, now));
  }

  /** Adds the end according to the settings, and the last use that may not be stored yet. */
  #asOfNow(stored: StoredAccessToken): StoredAccessToken {
    // Sanctum's column may be empty. Such a token counts as the oldest, so it has expired if there is a lifetime.
    const token = { ...stored, createdAt: stored.createdAt ?? new Date(0) };
    const lastUsedAt = this.uses.latest(token._id, token.lastUsedAt);
    return { ...token, lastUsedAt, expiresAt: endOf(token, this.lifetimes) };
  }

  /**
   * Revokes one token of an account.
   * @returns false if there was none. Of two simultaneous logouts with one token, only one gets true
   */
  revoke(accountId: string, tokenId: string): Promise<boolean> {
    return this.#removals.load({ _id: tokenId, accountId });
  }

  /**
   * Revokes the oldest tokens of an account beyond its limit. Of simultaneous logins, the one whose token was stored last
   * sees all tokens, and all logins sort them alike: at most `limit` are left.
   * @returns how many this call revoked, and the id if it was one
   */
  async revokeOldest(accountId: string, limit: number): Promise<{ revoked: number; tokenId?: string }> {
    if ((await this.#newest({ accountId }, limit + 1)).length <= limit) {
      return { revoked: 0 };
    }
    // Imported tokens may have no time of issue: they count as the oldest. So do tokens from the future, issued before the
    // clock was set back: they must not outlive all tokens that are issued from now on.
    const soon = new Date(this.clock.now() + MAX_AHEAD_MILLIS);
    const [dated, undated, ahead] = await Promise.all([
      this.#newest({ accountId, createdAt: { $lte: soon } }, limit),
      this.#newest({ accountId, createdAt: null }, limit),
      this.#newest({ accountId, createdAt: { $gt: soon } }, limit),
    ]);
    const others = [...undated, ...ahead].sort((a, b) => (a._id < b._id ? 1 : -1));
    const kept = new Set([...dated, ...others].slice(0, limit).map(({ _id }) => _id));
    const isNotKept = ({ _id }: IssuedToken) => !kept.has(_id);
    const oldestKept = dated.length < limit ? undefined : dated.at(-1);
    // A token that was issued since then is newer than the oldest one that is kept.
    const isOlder = (token: IssuedToken) => oldestKept !== undefined && isBefore(token, oldestKept);
    let revoked = 0;
    let first: string | undefined;
    const onRemoved = (ids: string[], count: number) => {
      first ??= ids[0];
      revoked += count;
    };
    const remove = (createdAt: null | { $gt: Date } | { $lte: Date }, isOver: typeof isOlder) =>
      removeOldestFirst(this.tokens, { accountId, createdAt }, isOver, this.clock, onRemoved);
    await remove({ $gt: soon }, isNotKept);
    await remove(null, isNotKept);
    if (oldestKept) {
      await remove({ $lte: oldestKept.createdAt }, isOlder);
    }
    return { revoked, ...(revoked === 1 && first !== undefined && { tokenId: first }) };
  }

  /** The newest of some tokens, without all that is not needed to sort them. */
  #newest(which: object, limit: number): Promise<IssuedToken[]> {
    const query = this.tokens.find(which).sort(NEWEST_FIRST).limit(limit).select('createdAt');
    return boundedExchange(query.lean<IssuedToken[]>(), this.clock);
  }

  /** Revokes every token of an account. Returns how many. */
  revokeAll(accountId: string): Promise<number> {
    return removeAllBut(this.tokens, accountId, null, this.clock);
  }

  /**
   * Revokes the tokens of all accounts, some at a time. Those that are issued meanwhile may stay.
   * @returns how many
   */
  async revokeEveryones(): Promise<number> {
    let revoked = 0;
    for (let last = ''; ; ) {
      const query = this.tokens.find({ _id: { $gt: last } }).sort({ _id: 1 });
      const ids = (await query.limit(BATCH_SIZE).select('_id').lean()).map(({ _id }) => _id);
      const newest = ids.at(-1);
      if (newest === undefined) {
        return revoked;
      }
      revoked += (await this.tokens.deleteMany({ _id: { $in: ids } })).deletedCount;
      last = newest;
    }
  }

  /** Revokes every token of an account but one. Returns how many. */
  revokeOthers(accountId: string, keptTokenId: string): Promise<number> {
    return removeAllBut(this.tokens, accountId, keptTokenId, this.clock);
  }
}

const isBefore = (a: IssuedToken, b: IssuedToken): boolean =>
  a.createdAt.getTime() === b.createdAt.getTime() ? a._id < b._id : a.createdAt < b.createdAt;

/** True if a change of the password ends a token, and its removal is not finished yet. */
const isEnding = (
  { passwordChange }: Pick<StoredAccount, 'passwordChange'>,
  { _id }: StoredAccessToken,
): boolean => passwordChange?.ending !== undefined && passwordChange.ending.keptTokenId !== _id;
