import DataLoader from 'dataloader';
import type { AccessTokenModel, StoredAccessToken } from '../../models/access-token.model.ts';
import { ACCOUNTS, type StoredAccount } from '../../models/account.model.ts';

/** A stored token together with its account, if that exists: one or none. */
export type TokenWithAccount = StoredAccessToken & {
  accounts: Omit<StoredAccount, 'passwordHash' | 'knownPlaces'>[];
};

/** The look-ups in one query. Further ones go into the next query, so that the database can begin. */
const MAX_BATCH = 16;

/**
 * Looks up tokens by id, each with its account. Every request does it, and most of its cost is the exchange with the
 * database. So one query reads token and account, and simultaneous requests share it.
 *
 * Nothing is cached, so a revoked token or a disabled account is refused at once.
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
    { cache: false, maxBatchSize: MAX_BATCH, batchScheduleFn: whenTogetherOrFull() },
  );

/** Sends a batch when all simultaneous look-ups are in it. A full batch is sent when the next one begins. */
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
