import DataLoader from 'dataloader';
import type { mongo } from 'mongoose';
import { isUnknownCommand } from '../../database/database-errors.ts';
import type { LimitedConnection } from '../../database/exchange-limit.ts';
import { ACCOUNTS, type StoredAccount } from '../accounts/accounts.ts';
import { inBatchesOfRequests } from '../batches.ts';
import { BulkRecords } from '../bulk-records.ts';
import { type OwnedRecord, PAGE_SIZE, pagesBefore } from '../pages.ts';
import { Store } from '../store.ts';
import { ACCESS_TOKENS, type StoredAccessToken } from './access-token-record.ts';
import { removeTogether, type TokenOfAccount } from './single-removals.ts';

export type { StoredAccessToken } from './access-token-record.ts';

/** A stored token and its account, without what only a check of the password needs. */
export interface TokenWithAccount {
  token: StoredAccessToken;
  /** undefined if it does not exist. */
  account: Omit<StoredAccount, 'passwordHash' | 'knownPlaces'> | undefined;
}

/** The last use of a token. */
export interface TokenUse {
  id: string;
  lastUsedAt: Date;
  /** When the token may be removed if it is not used again; null if it has no idle limit. */
  idleExpiresAt: Date | null;
}

/** What a call has revoked. */
export interface Revoked {
  revoked: number;
  /** The id of the token, if it was one. */
  tokenId?: string;
}

/** Tokens of one account, or those of them that were issued at some time. */
interface Which {
  accountId: string;
  createdAt?: null | { $gt: Date } | { $lte: Date };
}

/** What is read of a token to decide if it goes. */
type IssuedToken = Pick<StoredAccessToken, '_id' | 'createdAt'>;

type Joined = StoredAccessToken & { accounts: NonNullable<TokenWithAccount['account']>[] };

/** The order of the index of an account's tokens. */
const NEWEST_FIRST = { createdAt: -1, _id: -1 } as const;
const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const;
/** The clocks of instances differ by less than this. */
const MAX_AHEAD_MILLIS = 60_000;
/** A last use need not survive a crash, so the write does not wait for a disk. */
const USE_WRITE_CONCERN = { w: 1, journal: false } as const;

/** Each read and each deletion must come within the time limit of the database connection. */
const BATCH_SIZE = 500;
/** Lists are read in smaller parts, so that other requests are served in between. */
const LIST_BATCH_SIZE = 100;

/**
 * The access tokens. A token is inserted, its last uses are noted, and it is removed by a revocation, by the database after its
 * end, or by the sweep without its account. Nothing else of it changes.
 */
export class AccessTokenStore extends Store<StoredAccessToken> {
  readonly #admin: mongo.Db;
  #hasBulkWrite = true;
  readonly #byId = this.#lookUp('_id', {});
  readonly #importedByHash = this.#lookUp('secretHash', { imported: true });
  readonly #removals = new DataLoader(
    (tokens: readonly TokenOfAccount[]) => this.#removeSingle(tokens),
    inBatchesOfRequests(),
  );

  /** For the move from and to a legacy service. By these fields it notices that another token has got an id since. */
  readonly bulk: BulkRecords<StoredAccessToken>;

  constructor(database: LimitedConnection) {
    super(database, ACCESS_TOKENS);
    this.bulk = new BulkRecords(database, ACCESS_TOKENS, ['accountId', 'secretHash', 'imported']);
    this.#admin = database.connection.getClient().db('admin');
  }

  /** @throws the database's error if there is a token with this id */
  async insert({ _id, accountId, name, ...others }: StoredAccessToken): Promise<void> {
    const { secretHash, abilities, createdAt, lastUsedAt, expiresAt, idleExpiresAt } = others;
    const { ip, device, imported } = others;
    const record = {
      ...{ _id, accountId, name, secretHash, abilities, createdAt, lastUsedAt, expiresAt, idleExpiresAt },
      ...(ip !== undefined && { ip }),
      ...(device !== undefined && { device }),
      ...(imported && { imported }),
    };
    await this.within(this.collection.insertOne(record));
  }

  /** Removes exactly this token, and no imported one with the same id. It is no error if it does not exist. */
  async withdraw({ _id, secretHash }: Pick<StoredAccessToken, '_id' | 'secretHash'>): Promise<void> {
    await this.within(this.collection.deleteOne({ _id, secretHash }));
  }

  /**
   * Finds a token with its account. Every request does it, and most of its cost is the exchange with the database. So one query
   * reads token and account, and simultaneous requests share it. Nothing is cached, so a revoked token or a disabled account is
   * refused at once.
   */
  findWithAccount(id: string): Promise<TokenWithAccount | undefined> {
    return this.#byId.load(id);
  }

  /**
   * Finds an imported token like {@link findWithAccount}, by the hash of its secret: the others are never presented without their
   * id. It has queries of its own, so that neither kind waits for the other.
   */
  findImportedWithAccount(secretHash: string): Promise<TokenWithAccount | undefined> {
    return this.#importedByHash.load(secretHash);
  }

  #lookUp(
    field: '_id' | 'secretHash',
    only: { imported?: true },
  ): DataLoader<string, TokenWithAccount | undefined> {
    return new DataLoader(async (keys) => {
      const which = { [field]: { $in: [...new Set(keys)] }, ...only };
      const found = await this.within(this.collection.aggregate<Joined>(withAccounts(which)).toArray());
      const byKey = new Map(
        found.map(({ accounts, ...token }) => [token[field], { token, account: accounts[0] }]),
      );
      return keys.map((key) => byKey.get(key));
    }, inBatchesOfRequests());
  }

  /** The newest tokens of an account, the newest first. */
  async list(accountId: string, limit: number): Promise<StoredAccessToken[]> {
    const found = this.collection.find({ accountId }, { batchSize: LIST_BATCH_SIZE });
    const tokens: StoredAccessToken[] = [];
    for await (const batch of this.batchesOf(found.sort(NEWEST_FIRST).limit(limit))) {
      tokens.push(...batch);
    }
    return tokens;
  }

  /**
   * Revokes one token of an account. Simultaneous calls share a command, because the exchange costs more than the removal.
   * @returns false if there was none. Of two simultaneous calls for one token, here or at other instances, only one gets true
   */
  revoke(accountId: string, id: string): Promise<boolean> {
    return this.#removals.load({ _id: id, accountId });
  }

  /** `deleteMany` would say only how many tokens there were. `bulkWrite` says it of each. */
  async #removeSingle(tokens: readonly TokenOfAccount[]): Promise<(boolean | Error)[]> {
    if (this.#hasBulkWrite && tokens.length > 1) {
      try {
        return await this.within(removeTogether(this.#admin, this.collection.namespace, tokens));
      } catch (error) {
        if (!isUnknownCommand(error)) {
          throw error;
        }
        this.#hasBulkWrite = false;
      }
    }
    return Promise.all(tokens.map((token) => this.#deleteOne(token).catch((error: Error) => error)));
  }

  async #deleteOne(which: Partial<StoredAccessToken>): Promise<boolean> {
    return (await this.within(this.collection.deleteOne(which))).deletedCount === 1;
  }

  /** Revokes every token of an account. Returns how many. */
  revokeAll(accountId: string): Promise<number> {
    return this.#removeAllBut(accountId, undefined);
  }

  /** Revokes every token of an account but one. Returns how many. */
  revokeOthers(accountId: string, keptId: string): Promise<number> {
    return this.#removeAllBut(accountId, keptId);
  }

  async #removeAllBut(accountId: string, keptId: string | undefined): Promise<number> {
    const { revoked } = await this.#removeOldestFirst({ accountId }, ({ _id }) => _id !== keptId);
    return revoked;
  }

  /**
   * Revokes the oldest tokens of an account beyond its limit. Of simultaneous logins, the one whose token was stored last
   * sees all tokens, and all logins sort them alike: at most `limit` are left.
   *
   * Imported tokens may have no time of issue: they count as the oldest. So do tokens from the future, issued before the clock was
   * set back: they must not outlive all tokens that are issued from now on.
   */
  async revokeOldest(accountId: string, limit: number, now: Date): Promise<Revoked> {
    if ((await this.#newest({ accountId }, limit + 1)).length <= limit) {
      return { revoked: 0 };
    }
    const soon = new Date(now.getTime() + MAX_AHEAD_MILLIS);
    const [dated, undated, ahead] = await Promise.all([
      this.#newest({ accountId, createdAt: { $lte: soon } }, limit),
      this.#newest({ accountId, createdAt: null }, limit),
      this.#newest({ accountId, createdAt: { $gt: soon } }, limit),
    ]);
    const others = [...undated, ...ahead].sort((a, b) => (a._id < b._id ? 1 : -1));
    const kept = new Set([...dated, ...others].slice(0, limit).map(({ _id }) => _id));
    const isNotKept = ({ _id }: IssuedToken) => !kept.has(_id);
    const removals = [
      await this.#removeOldestFirst({ accountId, createdAt: { $gt: soon } }, isNotKept),
      await this.#removeOldestFirst({ accountId, createdAt: null }, isNotKept),
    ];
    const oldestKept = dated.length < limit ? undefined : dated.at(-1);
    if (oldestKept?.createdAt) {
      const { createdAt } = oldestKept;
      // A token that was issued since then is newer than the oldest one that is kept.
      const isOlder = (token: IssuedToken) => isBefore(token, oldestKept);
      removals.push(await this.#removeOldestFirst({ accountId, createdAt: { $lte: createdAt } }, isOlder));
    }
    return together(removals);
  }

  /** The newest of some tokens, without all that is not needed to sort them. */
  #newest(which: Which, limit: number): Promise<IssuedToken[]> {
    const found = this.collection.find<IssuedToken>(which, { projection: { createdAt: 1 } });
    return this.within(found.sort(NEWEST_FIRST).limit(limit).toArray());
  }

  /**
   * Removes tokens of an account, the oldest first, some at a time. Each is read once, by the index of the account's tokens. If it
   * is interrupted, a repetition continues with those that are left.
   * @param goes false for a token that stays
   * @returns what this call removed, and the first id even if another call has removed it
   */
  async #removeOldestFirst(which: Which, goes: (token: IssuedToken) => boolean): Promise<Revoked> {
    const removed: Revoked = { revoked: 0 };
    for (let kept = 0; ; ) {
      const page = this.collection.find<IssuedToken>(which, { projection: { createdAt: 1 } });
      const found = await this.within(page.sort(OLDEST_FIRST).skip(kept).limit(BATCH_SIZE).toArray());
      const ids = found.filter(goes).map(({ _id }) => _id);
      const [first] = ids;
      if (first !== undefined) {
        removed.tokenId ??= first;
        const { accountId } = which;
        const removal = this.collection.deleteMany({ _id: { $in: ids }, accountId });
        removed.revoked += (await this.within(removal)).deletedCount;
      }
      if (found.length < BATCH_SIZE) {
        return removed;
      }
      // Those that stay are still before the next ones.
      kept += found.length - ids.length;
    }
  }

  /**
   * Revokes the tokens of all accounts, some at a time. Those that are issued meanwhile may stay.
   * @returns how many
   */
  async revokeEveryones(): Promise<number> {
    let revoked = 0;
    for (let last = ''; ; ) {
      const page = this.collection.find({ _id: { $gt: last } }, { projection: { _id: 1 } });
      const found = await this.within(page.sort({ _id: 1 }).limit(BATCH_SIZE).toArray());
      const ids = found.map(({ _id }) => _id);
      const newest = ids.at(-1);
      if (newest === undefined) {
        return revoked;
      }
      revoked += (await this.within(this.collection.deleteMany({ _id: { $in: ids } }))).deletedCount;
      last = newest;
    }
  }

  /**
   * Notes the last uses of tokens. It never inserts, so that a revoked token stays revoked, and never moves back a later use that
   * another instance has noted.
   */
  async noteUses(uses: readonly TokenUse[]): Promise<void> {
    const updates = uses.map(({ id, lastUsedAt, idleExpiresAt }) => ({
      updateOne: {
        filter: { _id: id },
        update: idleExpiresAt
          ? { $max: { lastUsedAt, idleExpiresAt } }
          : { $max: { lastUsedAt }, $set: { idleExpiresAt } },
      },
    }));
    const options = { ordered: false, writeConcern: USE_WRITE_CONCERN };
    await this.within(this.collection.bulkWrite(updates, options));
  }

  /** The tokens that were issued before a moment, in batches, for the sweep. */
  createdBefore(moment: Date): AsyncIterable<OwnedRecord[]> {
    const projection = { accountId: 1, createdAt: 1 };
    return pagesBefore(moment, (lastId) => {
      const page = this.collection.find({ _id: { $gt: lastId } }, { projection });
      return this.within(page.sort({ _id: 1 }).limit(PAGE_SIZE).toArray());
    });
  }

  /** The account of a token; undefined if the token does not exist. */
  async ownerOf(id: string): Promise<string | undefined> {
    const found = await this.within(this.collection.findOne({ _id: id }, { projection: { accountId: 1 } }));
    return found?.accountId;
  }

  /** Removes a token without an account. Returns false if it does not exist. */
  remove(id: string): Promise<boolean> {
    return this.#deleteOne({ _id: id });
  }
}

/** A pipeline that joins tokens with their accounts, each with one or none. Secrets of an account stay in the database. */
const withAccounts = (which: object) => [
  { $match: which },
  { $lookup: { from: ACCOUNTS, localField: 'accountId', foreignField: '_id', as: 'accounts' } },
  { $project: { 'accounts.passwordHash': 0, 'accounts.knownPlaces': 0 } },
];

const isBefore = (a: IssuedToken, b: IssuedToken): boolean => {
  const [first, second] = [Number(a.createdAt), Number(b.createdAt)];
  return first === second ? a._id < b._id : first < second;
};

/** The sum of several removals. */
function together(removals: readonly Revoked[]): Revoked {
  const revoked = removals.reduce((sum, removal) => sum + removal.revoked, 0);
  const tokenId = removals.map((removal) => removal.tokenId).find((id) => id !== undefined);
  return { revoked, ...(revoked === 1 && tokenId !== undefined && { tokenId }) };
}
