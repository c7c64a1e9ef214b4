import DataLoader from 'dataloader';
import { mongo } from 'mongoose';
import { WRITE_CONCERN } from '../../database/connect.ts';
import { isUnknownCommand } from '../../database/database-errors.ts';
import type { AccessTokenModel, StoredAccessToken } from '../../stores/access-tokens.ts';
import { inBatchesOfRequests } from '../../stores/batches.ts';

/** One token of an account. */
export type TokenOfAccount = Pick<StoredAccessToken, '_id' | 'accountId'>;

/** The result of one operation of a `bulkWrite` command. */
interface Result {
  idx: number;
  ok: number;
  n: number;
}

/**
 * Removes single tokens. Simultaneous requests share a command, because the exchange costs more than the removal. `deleteMany`
 * would say only how many tokens there were. `bulkWrite` says it of each, so of several logouts with one token, here or at
 * other instances, exactly one gets true.
 */
export const tokenRemovals = (tokens: AccessTokenModel): DataLoader<TokenOfAccount, boolean> => {
  let hasBulkWrite = true;
  return new DataLoader(async (removals) => {
    if (hasBulkWrite && removals.length > 1) {
      try {
        return await removeTogether(tokens, removals);
      } catch (error) {
        if (!isUnknownCommand(error)) {
          throw error;
        }
        hasBulkWrite = false;
      }
    }
    return removeEach(tokens, removals);
  }, inBatchesOfRequests());
};

/** One command for all, for MongoDB 8.0 and later. */
async function removeTogether(
  tokens: AccessTokenModel,
  removals: readonly TokenOfAccount[],
): Promise<(boolean | Error)[]> {
  const command = {
    bulkWrite: 1,
    ops: removals.map(({ _id, accountId }) => ({ delete: 0, filter: { _id, accountId }, multi: false })),
    nsInfo: [{ ns: `${tokens.db.name}.${tokens.collection.collectionName}` }],
    ordered: false,
    writeConcern: WRITE_CONCERN,
  };
  const { cursor } = await tokens.db.getClient().db('admin').command(command);
  const results = new Map((cursor.firstBatch as Result[]).map((result) => [result.idx, result]));
  return removals.map((_, index) => {
    const result = results.get(index);
    return result?.ok === 1 ? result.n === 1 : new mongo.MongoServerError({ ...result });
  });
}

const removeEach = (
  tokens: AccessTokenModel,
  removals: readonly TokenOfAccount[],
): Promise<(boolean | Error)[]> =>
  Promise.all(
    removals.map(({ _id, accountId }) =>
      tokens.collection.deleteOne({ _id, accountId } as object).then(
        ({ deletedCount }) => deletedCount === 1,
        (error: Error) => error,
      ),
    ),
  );
