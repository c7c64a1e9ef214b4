import type { Stores } from '../../stores/stores.ts';
import { isSameDigest } from '../records/legacy-record.ts';
import type { RecordKind } from '../records/record-kind.ts';

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
  stores: Stores,
  kind: RecordKind<T>,
  records: readonly NewRecord<T>[],
): Promise<Stored[]> {
  const outcomes: Stored[] = records.map(() => 'stored');
  const stored = kind.stored(stores);
  const refused = await stored.insertMany(records.map(({ record }) => record));
  const existing = await stored.byIds(refused.map((index) => records[index]?.record._id ?? ''));
  for (const index of refused) {
    outcomes[index] = outcomeOf(records[index], existing, kind);
  }
  return outcomes;
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
