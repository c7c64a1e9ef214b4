import DataLoader from 'dataloader';
import type { AccessTokenModel, StoredAccessToken } from '../../models/access-token.model.ts';
import { ACCOUNTS, type StoredAccount } from '../../models/account.model.ts';

/** A stored token together with its account, if that exists: one or none. */
export type TokenWithAccount = StoredAccessToken & {
  accounts: Omit<StoredAccount, 'passwordHash' | 'knownPlaces'>[];
};

/** As many are asked for at once, and kept waiting for no more: the database begins with them while others come in. */
const ENOUGH = 16;

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
    { cache: false, maxBatchSize: ENOUGH, batchScheduleFn: whenTogetherOrFull() },
  );

/** Sends a batch when all that has come in with it is in it, or when it is full, which shows in that another is begun. */
function whenTogetherOrFull(): (send: () => void) => void {
  let sendLast = () => {};
  return (send) => {
    sendLast();
    const immediate = setImmediate(() => sendLast());
    sendLast = () => {
      sendLast = () => {};
      clearImmediate(immediate);
      send();
    };
  };
}

const pipeline = (ids: string[]) => [
  { $match: { _id: { $in: ids } } },
  { $lookup: { from: ACCOUNTS, localField: 'accountId', foreignField: '_id', as: 'accounts' } },
  { $project: { 'accounts.passwordHash': 0, 'accounts.knownPlaces': 0 } },
];
