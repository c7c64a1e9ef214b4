import type { Stores } from '../../stores/stores.ts';
import { type BookedRow, NOT_TAKEN, WAITING, wasTaken } from '../bookkeeping/booked-row.ts';
import type { Finding, LegacyContext } from '../legacy-context.ts';
import { isAboutAccount } from '../records/legacy-record.ts';
import type { RecordKind } from '../records/record-kind.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { type ConvertedRows, convertRows } from './convert-rows.ts';
import { insertRecords, type NewRecord, type Stored } from './insert-records.ts';
import type { KeySet } from './key-set.ts';
import type { CounterRaiser } from './raise-counters.ts';
import { BATCH_ROWS, readPages } from './read-pages.ts';
import { storeInOrder } from './store-in-order.ts';

/** What an import knows besides its context. */
export interface ImportState {
  /** The id of the run. */
  run: string;
  /** When this part of the run began. */
  now: Date;
  /** The ids of the accounts that were taken. */
  taken: TakenAccounts;
  /** The ids of the accounts that were erased here. */
  erased: ReadonlySet<string>;
  counters: CounterRaiser;
  /** Called for each batch before its records are stored. */
  beforeStoring?<T extends { _id: string }>(kind: RecordKind<T>, records: readonly T[]): Promise<void>;
  /** Called for each batch when it is booked. */
  booked?(kind: Kind, rows: readonly BookedRow[]): void;
}

/** A set of accounts: of all that were taken, or of those that it has looked for. */
export interface TakenAccounts extends Pick<KeySet, 'has' | 'add'> {
  /** Looks for accounts before {@link has} is asked for them. */
  lookFor?(ids: readonly string[]): Promise<void>;
}

interface NumberedBatch<T> extends ConvertedRows<T> {
  number: number;
}

const REASONS: Record<Exclude<Stored, 'stored'>, Pick<Finding, 'outcome' | 'reason'>> = {
  'other with this id': { outcome: 'conflict', reason: 'another record has its id' },
  'other with this e-mail': { outcome: 'not taken', reason: 'its e-mail belongs to another account' },
};

/** A finding about a record that was not stored. */
export const findingOf = (kind: Finding['kind'], id: string, stored: Exclude<Stored, 'stored'>): Finding => ({
  kind,
  id,
  ...REASONS[stored],
});

/** Imports all rows of a kind that are not booked yet. */
export async function importRows<T extends { _id: string }>(
  { source, stores, bookkeeping, observer, readTime, policy, signal }: LegacyContext,
  recordKind: RecordKind<T>,
  { run, now, taken, erased, counters, beforeStoring, booked }: ImportState,
): Promise<void> {
  const { name: kind } = recordKind;
  const last = await bookkeeping.last(kind);
  const total = await source.count(kind);
  let number = last ? last.number + 1 : 0;
  let done = number * BATCH_ROWS;
  const tell = () => observer.progress(kind, Math.min(done, total), total);
  tell();

  async function* batches(): AsyncGenerator<NumberedBatch<T>> {
    for await (const rows of readPages(source, kind, last?.upTo)) {
      const ids = rows.map((row) => recordKind.accountOf(row)).filter((id) => typeof id === 'string');
      await taken.lookFor?.(ids);
      yield { ...convertRows(rows, recordKind, { readTime, now, policy, erased }, taken), number };
      number += 1;
    }
  }
  const insert = inserter(recordKind, stores);
  const store = async ({ rows, records, number: batch }: NumberedBatch<T>): Promise<Stored[]> => {
    await counters.raise(kind, rows.at(-1)?.key ?? '');
    const wanted = records.filter((record) => record !== undefined);
    await beforeStoring?.(
      recordKind,
      wanted.map(({ record }) => record),
    );
    await bookkeeping.notes.noteInserts(kind, batch, notedRows(rows, records));
    return insert(wanted);
  };
  const commit = async (batch: NumberedBatch<T>, outcomes: Stored[]): Promise<void> => {
    const rows = bookedRows(kind, batch, outcomes);
    for (const finding of batch.findings) {
      observer.found(finding);
    }
    await bookkeeping.put({ kind, number: batch.number, run, rows });
    await bookkeeping.notes.forgetInserts(kind, batch.number);
    booked?.(kind, rows);
    if (kind === 'accounts') {
      addTaken(taken, rows);
    }
    done += rows.length;
    tell();
  };
  await storeInOrder(batches(), { store, commit }, signal);
}

/** The rows that become records. */
const notedRows = <T>(
  rows: readonly LegacyRow[],
  records: readonly (NewRecord<T> | undefined)[],
): BookedRow[] =>
  rows.flatMap(({ key, sum }, index) => {
    const digest = records[index]?.digest;
    return digest === undefined ? [] : [{ key, sum, digest }];
  });

/** Notes the accounts that were taken. */
export function addTaken(taken: TakenAccounts, rows: readonly BookedRow[]): void {
  for (const { key } of rows.filter(wasTaken)) {
    taken.add(key);
  }
}

/**
 * Inserts batches, usually two at the same time. If both have the same unique key, the second waits: of two accounts with one
 * e-mail, the first is taken, whenever an import is interrupted.
 */
function inserter<T extends { _id: string }>(
  kind: RecordKind<T>,
  stores: Stores,
): (records: NewRecord<T>[]) => Promise<Stored[]> {
  let before: { keys: Set<string>; ended: Promise<unknown> } = { keys: new Set(), ended: Promise.resolve() };
  return (records) => {
    const keys = new Set(
      records.map(({ record }) => kind.uniqueKey(record)).filter((key) => key !== undefined),
    );
    const previous = before;
    const inserting = async () => {
      if ([...keys].some((key) => previous.keys.has(key))) {
        await previous.ended;
      }
      return insertRecords(stores, kind, records);
    };
    const inserted = inserting();
    before = { keys, ended: inserted.catch(() => {}) };
    return inserted;
  };
}

/** The rows as the bookkeeping has them. The findings about those that were not stored are added to the batch. */
function bookedRows<T>(
  kind: Finding['kind'],
  { rows, records, reasons, findings }: ConvertedRows<T>,
  outcomes: readonly Stored[],
): BookedRow[] {
  const left = outcomes[Symbol.iterator]();
  return rows.map(({ key, sum }, index) => {
    const record = records[index];
    const outcome: Stored | undefined = record && left.next().value;
    if (outcome !== undefined && outcome !== 'stored') {
      findings.push(findingOf(kind, key, outcome));
    }
    if (record) {
      return { key, sum, digest: outcome === 'stored' ? record.digest : WAITING };
    }
    return { key, sum, digest: isAboutAccount(reasons.get(key) ?? '') ? WAITING : NOT_TAKEN };
  });
}
