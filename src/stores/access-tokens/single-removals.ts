import { mongo } from 'mongoose';
import { WRITE_CONCERN } from '../../database/connect.ts';
import type { StoredAccessToken } from './access-token-record.ts';

/** One token of an account. */
export type TokenOfAccount = Pick<StoredAccessToken, '_id' | 'accountId'>;

/** The result of one operation of a `bulkWrite` command. */
interface Result {
  idx: number;
  ok: number;
  n: number;
}

/**
 * Removes single tokens with one command, for MongoDB 8.0 and later. The driver's own method does not tell how many each of them
 * has removed.
 * @param admin the database that takes the command
 * @param namespace of the tokens
 * @returns for each whether it was removed, or its error
 * @throws the database's error, if the command has failed as a whole
 */
export async function removeTogether(
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
