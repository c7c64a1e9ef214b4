import type { IdStore } from '../../stores/ids.ts';
import type { Stores } from '../../stores/stores.ts';
import { kindOf } from '../records/kinds.ts';
import { isSameDigest } from '../records/legacy-record.ts';
import type { RecordKind } from '../records/record-kind.ts';
import type { LegacyDatabase } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';

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

/** Keeps the counters of new ids above all imported ids, if those are numbers. */
export class CounterRaiser {
  readonly #raised = new Map<Kind, bigint>();

  constructor(
    private readonly ids: IdStore,
    private readonly source: LegacyDatabase,
  ) {}

  /**
   * Raises the counters above all ids that the legacy database has now, and above those of rows that it has deleted: nobody
   * gets the id of another person, to whom records of other tables still belong. Call it before the first row is stored.
   */
  async raiseAll(): Promise<void> {
    for (const kind of ['accounts', 'tokens'] as const) {
      // The larger one first, so that one write is enough.
      await this.raise(kind, (await this.source.lastGivenKey(kind)) ?? '');
      await this.raise(kind, (await this.source.lastKey(kind)) ?? '');
    }
  }

  /** Raises the counter if an id that is about to be stored is above it. */
  async raise(kind: Kind, key: string): Promise<void> {
    const { counter } = kindOf(kind);
    if (counter === undefined || !/^\d{1,20}$/.test(key)) {
      return;
    }
    const value = BigInt(key);
    if (value > (this.#raised.get(kind) ?? 0n)) {
      await this.ids.raise({ [counter]: value });
      this.#raised.set(kind, value);
    }
  }
}
