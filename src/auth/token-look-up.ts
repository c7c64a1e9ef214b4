import DataLoader from 'dataloader';
import type { AccessTokenModel, StoredAccessToken } from '../models/access-token.model.ts';
import { ACCOUNTS, type StoredAccount } from '../models/account.model.ts';

/** A stored token together with its account, if that exists: one or none. */
export type TokenWithAccount = StoredAccessToken & { accounts: Omit<StoredAccount, 'passwordHash'>[] };

const MOST_AT_ONCE = 100;

/**
 * Looks up tokens by id, each with its account. That is done for every request, and most of what it costs is the exchange
 * with the database: so token and account are one question, and requests that come in together share it.
 *
 * Nothing is kept: what is found is as it was after it was asked for, so one that is revoked or disabled counts no more.
 */
export const tokensWithAccounts = (
  tokens: AccessTokenModel,
): DataLoader<string, TokenWithAccount | undefined> =>
  new DataLoader(
    async (ids) => {
      const found = await tokens.collection
        .aggregate<TokenWithAccount>(pipeline([...new Set(ids)]))
        .toArray();
      const byId = new Map(found.map((token) => [token._id, token]));
      return ids.map((id) => byId.get(id));
    },
    { cache: false, maxBatchSize: MOST_AT_ONCE, batchScheduleFn: (callback) => setImmediate(callback) },
  );

const pipeline = (ids: string[]) => [
  { $match: { _id: { $in: ids } } },
  { $lookup: { from: ACCOUNTS, localField: 'accountId', foreignField: '_id', as: 'accounts' } },
  { $project: { 'accounts.passwordHash': 0 } },
];
