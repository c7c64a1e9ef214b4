import type { mongo } from 'mongoose';
import { type BookedRow, NOT_TAKEN } from '../bookkeeping/bookkeeping.ts';
import type { Finding, LegacyContext } from '../legacy-context.ts';
import type { RecordKind } from '../records/legacy-record.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { insertRecords, type NewRecord, type Stored } from './insert-records.ts';
import { BATCH_ROWS, readPages } from './read-pages.ts';
import { storeInOrder } from './store-in-order.ts';

/** How rows of one kind are imported. */
export interface RowKind<T extends { _id: string }> {
  kind: Kind;
  records: RecordKind<T>;
  collection: mongo.Collection<T>;
  /** Why a row is not taken, if the conversion alone cannot say it. */
  reasonAgainst(row: LegacyRow): string | undefined;
  /** Called for each batch, before it is stored; it may wait for something. */
  beforeStoring?(records: NewRecord<T>[]): Promise<void>;
  /** Called for each batch once it is booked. */
  booked?(rows: readonly BookedRow[]): void;
}

/** A batch of rows: each has become a record, or a finding. */
interface Prepared<T> {
  number: number;
  rows: LegacyRow[];
  records: (NewRecord<T> | undefined)[];
  findings: Finding[];
}

const REASONS: Record<Exclude<Stored, 'stored'>, Pick<Finding, 'outcome' | 'reason'>> = {
  'other with this id': { outcome: 'conflict', reason: 'another record has its id' },
  'other with this e-mail': { outcome: 'not taken', reason: 'its e-mail belongs to another account' },
};

/**
 * Imports all rows of a kind that are not booked yet.
 * @param run the id of the run
 * @param now the time of the import
 */
export async function importRows<T extends { _id: string }>(
  { source, bookkeeping, observer, readTime, signal }: LegacyContext,
  { kind, records, collection, reasonAgainst, beforeStoring, booked }: RowKind<T>,
  run: string,
  now: Date,
): Promise<void> {
  const last = await bookkeeping.last(kind);
  const total = await source.count(kind);
  let number = last ? last.number + 1 : 0;
  let done = number * BATCH_ROWS;
  observer.progress(kind, Math.min(done, total), total);

  async function* batches(): AsyncGenerator<Prepared<T>> {
    for await (const rows of readPages(source, kind, last?.upTo)) {
      yield prepare(rows, number);
      number += 1;
    }
  }
  const prepare = (rows: LegacyRow[], batch: number): Prepared<T> => {
    const findings: Finding[] = [];
    const converted = rows.map((row) => {
      const reason = reasonAgainst(row);
      const result = reason === undefined ? records.convert(row, { readTime, now }) : { reason };
      if (result.reason !== undefined) {
        findings.push({ kind, id: row.key, outcome: 'not taken', reason: result.reason });
        return undefined;
      }
      return result;
    });
    return { number: batch, rows, records: converted, findings };
  };
  const store = async ({ records: prepared }: Prepared<T>): Promise<Stored[]> => {
    const wanted = prepared.filter((record) => record !== undefined);
    await beforeStoring?.(wanted);
    return insertRecords(collection, records, wanted);
  };
  const commit = async (batch: Prepared<T>, outcomes: Stored[]) => {
    const rows = bookedRows(kind, batch, outcomes);
    for (const finding of batch.findings) {
      observer.found(finding);
    }
    await bookkeeping.put({ kind, number: batch.number, run, rows });
    booked?.(rows);
    done += rows.length;
    observer.progress(kind, Math.min(done, total), total);
  };
  await storeInOrder(batches(), { store, commit }, signal);
}

/** The rows as the bookkeeping has them. The findings about those that were not stored are added to the batch. */
function bookedRows<T extends { _id: string }>(
  kind: Kind,
  { rows, records, findings }: Prepared<T>,
  outcomes: readonly Stored[],
): BookedRow[] {
  const left = outcomes[Symbol.iterator]();
  return rows.map(({ key, sum }, index) => {
    const record = records[index];
    const outcome = record ? (left.next().value ?? 'stored') : undefined;
    if (outcome !== undefined && outcome !== 'stored') {
      findings.push({ kind, id: key, ...REASONS[outcome] });
    }
    return { key, sum, digest: record && outcome === 'stored' ? record.digest : NOT_TAKEN };
  });
}
