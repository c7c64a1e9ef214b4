import type { Stores } from '../../stores/stores.ts';
import { NOT_TAKEN, type RecordedRow, WAITING, wasTaken } from '../journal/batch.ts';
import { finishRemovals, keepNotedInserts, rememberNotedInserts } from '../journal/earlier-runs.ts';
import { noteUnseenAbsence } from '../journal/taken-accounts.ts';
import type { InvalidRow, LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { kindOf } from '../records/kinds.ts';
import { type Conversion, isAboutAccount, NO_ACCOUNT, type Reason } from '../records/legacy-record.ts';
import { PROFILES } from '../records/profile-kind.ts';
import type { RecordKind } from '../records/record-kind.ts';
import { TOKENS } from '../records/token-kind.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { importFiles } from './import-files.ts';
import { CounterRaiser, insertRecords, type NewRecord, type Stored } from './insert-records.ts';
import { KeySet } from './key-set.ts';
import { BATCH_ROWS, readPages, storeInOrder } from './pipeline.ts';

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
  /** Called for each batch when it is recorded. */
  recorded?(kind: Kind, rows: readonly RecordedRow[]): void;
}

/** A set of accounts: of all that were taken, or of those that it has looked for. */
export interface TakenAccounts extends Pick<KeySet, 'has' | 'add'> {
  /** Looks for accounts before {@link has} is asked for them. */
  lookFor?(ids: readonly string[]): Promise<void>;
}

/**
 * Imports what is not imported yet: accounts, profiles, their files, tokens. Nothing is visible before its account.
 * @param run the id of the run; a continuation has the same
 * @throws Stopped after a signal; Error for people
 */
export async function importLegacy(context: LegacyContext, run: string): Promise<void> {
  const { source, stores, journal, clock } = context;
  await finishRemovals(context);
  const counters = new CounterRaiser(stores.ids, source);
  await counters.raiseAll();
  await keepNotedInserts(context);
  const taken = new KeySet();
  for await (const { rows } of journal.batches('accounts')) {
    addTaken(taken, rows);
  }
  const erased = await stores.erasures.ids();
  const state: ImportState = { run, now: new Date(clock.now()), taken, erased, counters };
  await importRows(context, ACCOUNTS, state);
  await importRows(context, PROFILES, state);
  // Before the files: a killed import may have stored profiles whose rows have changed or gone since.
  await rememberNotedInserts(context, run, ['accounts', 'profiles']);
  if (context.filesDir !== undefined) {
    await importFiles(context, run);
  }
  await importRows(context, TOKENS, state);
  await rememberNotedInserts(context, run, ['tokens']);
}

interface NumberedBatch<T> extends ConvertedRows<T> {
  number: number;
}

/** Imports all rows of a kind that are not recorded yet. */
export async function importRows<T extends { _id: string }>(
  context: LegacyContext,
  recordKind: RecordKind<T>,
  { run, now, taken, erased, counters, beforeStoring, recorded }: ImportState,
): Promise<void> {
  const { source, stores, journal, observer, readTime, policy, signal } = context;
  const { name: kind } = recordKind;
  const last = await journal.last(kind);
  const total = await source.count(kind);
  let number = last ? last.number + 1 : 0;
  let done = number * BATCH_ROWS;
  const reportProgress = () => observer.progress(kind, Math.min(done, total), total);
  reportProgress();

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
    await journal.notes.noteInserts(kind, batch, notedRows(rows, records));
    return insert(wanted);
  };
  const commit = async (batch: NumberedBatch<T>, outcomes: Stored[]): Promise<void> => {
    const rows = recordedRows(kind, batch, outcomes);
    for (const finding of batch.findings) {
      observer.found(finding);
    }
    const { reasons } = batch;
    await noteUnseenAbsence(
      context,
      kindOf(kind),
      batch.rows.filter(({ key }) => isAboutAccount(reasons.get(key) ?? '')),
    );
    await journal.put({ kind, number: batch.number, run, rows });
    await journal.notes.forgetInserts(kind, batch.number);
    recorded?.(kind, rows);
    if (kind === 'accounts') {
      addTaken(taken, rows);
    }
    done += rows.length;
    reportProgress();
  };
  await storeInOrder(batches(), { store, commit }, signal);
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

/** The rows that become records. */
const notedRows = <T>(
  rows: readonly LegacyRow[],
  records: readonly (NewRecord<T> | undefined)[],
): RecordedRow[] =>
  rows.flatMap(({ key, sum }, index) => {
    const digest = records[index]?.digest;
    return digest === undefined ? [] : [{ key, sum, digest }];
  });

/** The rows as the journal has them. The findings about those that were not stored are added to the batch. */
function recordedRows<T>(
  kind: InvalidRow['kind'],
  { rows, records, reasons, findings }: ConvertedRows<T>,
  outcomes: readonly Stored[],
): RecordedRow[] {
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

const REASONS: Record<Exclude<Stored, 'stored'>, Pick<InvalidRow, 'outcome' | 'reason'>> = {
  'other with this id': { outcome: 'conflict', reason: 'another record has its id' },
  'other with this e-mail': { outcome: 'not taken', reason: 'its e-mail belongs to another account' },
};

/** A finding about a record that was not stored. */
export const findingOf = (
  kind: InvalidRow['kind'],
  id: string,
  stored: Exclude<Stored, 'stored'>,
): InvalidRow => ({
  kind,
  id,
  ...REASONS[stored],
});

/** Notes the accounts that were taken. */
function addTaken(taken: TakenAccounts, rows: readonly RecordedRow[]): void {
  for (const { key } of rows.filter(wasTaken)) {
    taken.add(key);
  }
}

/** Rows, what each has become, and the findings about those that have become nothing. */
export interface ConvertedRows<T> {
  rows: LegacyRow[];
  /** In the order of the rows. */
  records: (NewRecord<T> | undefined)[];
  /** Why a row has become nothing, by its key. */
  reasons: Map<string, Reason>;
  findings: InvalidRow[];
}

/**
 * Converts rows.
 * @param taken the ids of the accounts that were taken
 */
export function convertRows<T extends { _id: string }>(
  rows: LegacyRow[],
  kind: RecordKind<T>,
  conversion: Conversion,
  taken: Pick<KeySet, 'has'>,
): ConvertedRows<T> {
  const findings: InvalidRow[] = [];
  const reasons = new Map<string, Reason>();
  const converted = rows.map((row) => {
    const account = kind.accountOf(row);
    // A row without an account there has a reason of its own.
    const isOrphan = row.hasAccount && typeof account === 'string' && !taken.has(account);
    const result = isOrphan ? { reason: NO_ACCOUNT } : kind.convert(row, conversion);
    if (result.reason === undefined) {
      return result;
    }
    reasons.set(row.key, result.reason);
    findings.push({ kind: kind.name, id: row.key, outcome: 'not taken', reason: result.reason });
    return undefined;
  });
  return { rows, records: converted, reasons, findings };
}
