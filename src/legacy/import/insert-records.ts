import { mongo } from 'mongoose';
import { DUPLICATE_KEY, isDatabaseFull } from '../../database/database-errors.ts';
import { isSameDigest, type RecordKind } from '../records/legacy-record.ts';

/** A record that was made of a row. */
export interface NewRecord<T> {
  record: T;
  digest: string;
}

/** What has become of a record: it is stored, now or before; another one has its id; another one has its e-mail. */
export type Stored = 'stored' | 'other with this id' | 'other with this e-mail';

/**
 * Inserts records that an earlier attempt may have inserted already.
 * @returns what has become of each, in their order
 * @throws Error without values of the records, if the database has refused any of them for another reason
 */
export async function insertRecords<T extends { _id: string }>(
  collection: mongo.Collection<T>,
  kind: RecordKind<T>,
  records: readonly NewRecord<T>[],
): Promise<Stored[]> {
  const outcomes: Stored[] = records.map(() => 'stored');
  if (records.length === 0) {
    return outcomes;
  }
  const documents = records.map(({ record }) => record as mongo.OptionalUnlessRequiredId<T>);
  const refused = await collection.insertMany(documents, { ordered: false }).then(() => [], duplicatesIn);
  if (refused.length > 0) {
    const existing = await findRecords(collection, records, refused);
    for (const index of refused) {
      outcomes[index] = outcomeOf(records[index], existing, kind);
    }
  }
  return outcomes;
}

async function findRecords<T extends { _id: string }>(
  collection: mongo.Collection<T>,
  records: readonly NewRecord<T>[],
  refused: readonly number[],
): Promise<Map<string, T>> {
  const ids = refused.map((index) => records[index]?.record._id ?? '');
  const found = await collection.find({ _id: { $in: ids } } as mongo.Filter<T>).toArray();
  return new Map((found as T[]).map((record) => [record._id, record]));
}

/** What has become of a record that the database has refused as a duplicate. */
export function outcomeOf<T extends { _id: string }>(
  wanted: NewRecord<T> | undefined,
  existing: ReadonlyMap<string, T>,
  kind: RecordKind<T>,
): Stored {
  const found = existing.get(wanted?.record._id ?? '');
  if (!found) {
    return 'other with this e-mail';
  }
  return isSameDigest(kind.digestOf(found), wanted?.digest) ? 'stored' : 'other with this id';
}

/**
 * The positions of the refused duplicates.
 * @throws any other error, and a text without values for another refusal: MongoDB's texts about duplicates quote them
 */
function duplicatesIn(error: unknown): number[] {
  const isBulk = error instanceof mongo.MongoBulkWriteError;
  const refusals = isBulk ? [error.writeErrors].flat() : [];
  if (!isBulk || refusals.length === 0 || isDatabaseFull(error)) {
    throw error;
  }
  const other = refusals.find(({ code }) => code !== DUPLICATE_KEY);
  if (other) {
    throw new Error(`The gateway's database has refused rows: ${other.errmsg} (${other.code})`);
  }
  return refusals.map(({ index }) => index);
}
