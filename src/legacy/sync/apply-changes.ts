import { mongo } from 'mongoose';
import { DUPLICATE_KEY } from '../../database/database-errors.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { type AnyRecord, collectionOf, recordKindOf, storedWithIds } from '../records/stored-records.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { type Change, rulesOf } from './kind-rules.ts';

/** A change, and the digest that the record then has. */
export interface WantedChange extends Change {
  key: string;
  after: string;
}

/**
 * Applies changes in one request.
 * @returns the keys of the records that could not be changed: they were changed here in this moment, or their e-mail
 *   belongs to another account
 */
export async function applyChanges(
  { models }: Pick<LegacyContext, 'models'>,
  kind: Kind,
  changes: readonly WantedChange[],
): Promise<Set<string>> {
  if (changes.length === 0) {
    return new Set();
  }
  const isComplete = await write(collectionOf(models, kind) as never, changes);
  if (isComplete) {
    return new Set();
  }
  const stored = await storedWithIds(
    models,
    kind,
    changes.map(({ key }) => key),
  );
  const { digestOf } = recordKindOf(kind);
  const isDone = ({ key, after }: WantedChange) => {
    const record = stored.get(key);
    return record !== undefined && digestOf(record) === after && !rulesOf(kind).isBroken(record);
  };
  return new Set(changes.filter((change) => !isDone(change)).map(({ key }) => key));
}

/** @returns false if not every change has found its record */
export async function write(
  collection: mongo.Collection<AnyRecord>,
  changes: readonly Change[],
): Promise<boolean> {
  if (changes.length === 0) {
    return true;
  }
  const operations = changes.map(({ filter, update }) => ({ updateOne: { filter, update } }));
  try {
    const { matchedCount } = await collection.bulkWrite(operations, { ordered: false });
    return matchedCount === changes.length;
  } catch (error) {
    const refusals = error instanceof mongo.MongoBulkWriteError ? [error.writeErrors].flat() : [];
    const other = refusals.find(({ code }) => code !== DUPLICATE_KEY);
    if (refusals.length === 0) {
      throw error;
    }
    if (other) {
      // MongoDB's texts about duplicates quote the values, the others do not.
      throw new Error(`The gateway's database has refused a change: ${other.errmsg} (${other.code})`);
    }
    return false;
  }
}
