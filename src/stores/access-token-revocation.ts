import DataLoader from 'dataloader';
import { mongo } from 'mongoose';
import { WRITE_CONCERN } from '../database/connect.ts';
import { isUnknownCommand } from '../database/database-errors.ts';
import type { LimitedConnection } from '../database/exchange-limit.ts';
import { accessTokenSchema, NEWEST_FIRST, type StoredAccessToken } from './access-token-record.ts';
import { inBatchesOfRequests, Store } from './store.ts';

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

/** One token of an account. */
type TokenOfAccount = Pick<StoredAccessToken, '_id' | 'accountId'>;

const OLDEST_FIRST = { createdAt: 1, _id: 1 } as const;
/** The clocks of instances differ by less than this. */
const MAX_AHEAD_MILLIS = 60_000;
/** Each read and each deletion must come within the time limit of the database connection. */
const BATCH_SIZE = 500;

/** The revocation of access tokens: one, all of an account, all but one, those beyond an account's limit, or everyone's. */
export abstract class AccessTokenRevocation extends Store<StoredAccessToken> {
  readonly #admin: mongo.Db;
  #hasBulkWrite = true;
  readonly #removals = new DataLoader(
    (tokens: readonly TokenOfAccount[]) => this.#removeSingle(tokens),
    inBatchesOfRequests(),
  );

  constructor(database: LimitedConnection) {
    super(database, accessTokenSchema);
    this.#admin = database.connection.getClient().db('admin');
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
        return await this.records.within(
          removeTogether(this.#admin, this.records.collection.namespace, tokens),
        );
      } catch (error) {
        if (!isUnknownCommand(error)) {
          throw error;
        }
        this.#hasBulkWrite = false;
      }
    }
    return Promise.all(tokens.map((token) => this.records.remove(token).catch((error: Error) => error)));
  }

  /** Removes a token without an account. Returns false if it does not exist. */
  remove(id: string): Promise<boolean> {
    return this.records.remove({ _id: id });
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
    return this.records.list<IssuedToken>(which, { projection: { createdAt: 1 }, sort: NEWEST_FIRST, limit });
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
      const found = await this.records.list<IssuedToken>(which, {
        projection: { createdAt: 1 },
        sort: OLDEST_FIRST,
        skip: kept,
        limit: BATCH_SIZE,
      });
      const ids = found.filter(goes).map(({ _id }) => _id);
      const [first] = ids;
      if (first !== undefined) {
        removed.tokenId ??= first;
        const { accountId } = which;
        removed.revoked += await this.records.removeAll({ _id: { $in: ids }, accountId });
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
    for await (const page of this.records.pages({ _id: 1 }, BATCH_SIZE)) {
      revoked += await this.records.removeAll({ _id: { $in: page.map(({ _id }) => _id) } });
    }
    return revoked;
  }
}

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

/** The result of one operation of a `bulkWrite` command. */
interface Result {
  idx: number;
  ok: number;
  n: number;
}

/**
 * Removes single tokens with one command, for MongoDB 8.0 and later. The driver's own method does not say how many each
 * has removed.
 * @param admin the database that takes the command
 * @param namespace of the tokens
 * @returns for each whether it was removed, or its error
 * @throws the database's error, if the command has failed as a whole
 */
async function removeTogether(
  admin: mongo.Db,
  namespace: string,
  tokens: readonly TokenOfAccount[],
): Promise<(boolean | Error)[]> {
  const { cursor } = await admin.command({
    bulkWrite: 1,
    ops: tokens.map(({ _id, accountId }) => ({ delete: 0, filter: { _id, accountId }, multi: false })),
    nsInfo: [{ ns: namespace }],
    ordered: false,
    writeConcern: WRITE_CONCERN,
  });
  const results = new Map((cursor.firstBatch as Result[]).map((result) => [result.idx, result]));
  return tokens.map((_, index) => {
    const result = results.get(index);
    return result?.ok === 1 ? result.n === 1 : new mongo.MongoServerError({ ...result });
  });
}
