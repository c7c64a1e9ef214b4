import DataLoader from 'dataloader';
import type { AccessTokenModel, StoredAccessToken } from '../../stores/access-tokens.ts';
import { ACCOUNTS, type StoredAccount } from '../../stores/accounts/accounts.ts';
import { inBatchesOfRequests } from '../../stores/batches.ts';

/** A stored token together with its account, if that exists: one or none. */
export type TokenWithAccount = StoredAccessToken & {
  accounts: Omit<StoredAccount, 'passwordHash' | 'knownPlaces'>[];
};

/** Looks up tokens, each with its account. */
export interface TokenLookUps {
  byId: DataLoader<string, TokenWithAccount | undefined>;
  /** By the hash of the secret. It finds only imported tokens: the others are never presented without their id. */
  importedByHash: DataLoader<string, TokenWithAccount | undefined>;
}

/**
 * Looks up tokens, each with its account. Every request does it, and most of its cost is the exchange with the database. So
 * one query reads token and account, and simultaneous requests share it. The two ways have queries of their own, so that
 * neither waits for the other.
 *
 * Nothing is cached, so a revoked token or a disabled account is refused at once.
 */
export const tokenLookUps = (tokens: AccessTokenModel): TokenLookUps => ({
  byId: inBatches(tokens, '_id', {}),
  importedByHash: inBatches(tokens, 'secretHash', { imported: true }),
});

const inBatches = (
  tokens: AccessTokenModel,
  field: '_id' | 'secretHash',
  only: { imported?: true },
): DataLoader<string, TokenWithAccount | undefined> =>
  new DataLoader(async (keys) => {
    const filter = { [field]: { $in: [...new Set(keys)] }, ...only };
    const found = await tokens.collection.aggregate<TokenWithAccount>(pipeline(filter)).toArray();
    const byKey = new Map(found.map((token) => [token[field], token]));
    return keys.map((key) => byKey.get(key));
  }, inBatchesOfRequests());

const pipeline = (filter: object) => [
  { $match: filter },
  { $lookup: { from: ACCOUNTS, localField: 'accountId', foreignField: '_id', as: 'accounts' } },
  { $project: { 'accounts.passwordHash': 0, 'accounts.knownPlaces': 0 } },
];
