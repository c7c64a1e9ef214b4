import { type Batch, type BatchRange, GONE, type RecordedRow, WAITING, wasTaken } from '../journal/batch.ts';
import { noteUnseenAbsence, takenAccounts } from '../journal/taken-accounts.ts';
import { type AnyRecord, kindOf } from '../records/kinds.ts';
import { isAboutAccount, isSameDigest, NO_ACCOUNT, withAppliedParts } from '../records/legacy-record.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { planRow } from './plan-row.ts';
import type { RecordedBatch, Round, Work } from './round.ts';
import { changeRecords, insertNew, removeTokens } from './store-rows.ts';

/** How many changed rows are read at a time. */
const MAX_ROWS = 1_000;

/** A batch whose rows are compared. */
interface ComparedBatch {
  range: BatchRange;
  /** The last key of the batch before; undefined for the first. */
  after: string | undefined;
  /** True: rows that wait for something else are tried again. */
  triesAgain: boolean;
}

/**
 * Brings the records of one batch up to date, then remembers the rows as they are now. The batch is open meanwhile, and stays so
 * after a kill: then the next round looks at each of its rows, whatever their sums say.
 */
export async function syncBatch(
  round: Round,
  kind: Kind,
  { range, after, triesAgain }: ComparedBatch,
): Promise<void> {
  const { journal, source } = round.context;
  const { number } = range;
  const batch = await journal.batch(kind, number);
  if (!batch) {
    return;
  }
  const sums = await source.sums(kind, after, range.upTo);
  const recorded = new Map(batch.rows.map((row) => [row.key, row]));
  await recallPending(round, kind, batch, recorded);
  const gone = [...recorded.values()].filter(({ key }) => !sums.has(key));
  const isOther = ([key, sum]: [string, string]) => {
    const known = recorded.get(key);
    return batch.isOpen || known?.sum !== sum || (triesAgain && known.digest === WAITING);
  };
  const keys = [...sums].filter(isOther).map(([key]) => key);
  if (gone.length === 0 && keys.length === 0) {
    return;
  }
  await journal.open(kind, number);
  const pending: RecordedBatch['pending'] = new Map();
  const save = () => journal.put({ ...batch, rows: [...recorded.values()], isOpen: true, pending });
  const work = { recorded, number, pending, save };
  await treatGone(round, kind, gone, work);
  for (let start = 0; start < keys.length; start += MAX_ROWS) {
    const rows = await source.rows(kind, keys.slice(start, start + MAX_ROWS));
    await syncRows(round, kind, rows, work);
  }
  const rows: RecordedRow[] = [...recorded.values()];
  // One of them may have no e-mail's key until its exchange is complete.
  const isOpen =
    kind === 'accounts' && (round.blocked.get(number) ?? []).some(({ held }) => held !== undefined);
  await journal.put({ ...batch, rows, isOpen, pending: new Map() });
  await journal.notes.forgetInserts(kind, number);
}

/**
 * Brings what is known of rows up to date whose records a killed round has changed, perhaps, without remembering that. Before anything
 * else: the row may be gone by now, and the next change of it replaces the pending one.
 */
async function recallPending(
  { context }: Round,
  name: Kind,
  { pending = new Map() }: Batch,
  recorded: RecordedBatch['recorded'],
): Promise<void> {
  const kind = kindOf(name);
  const stored = await kind.stored(context.stores).byIds([...pending.keys()]);
  for (const [key, change] of pending) {
    const row = recorded.get(key);
    const record = stored.get(key);
    if (row && record) {
      recorded.set(key, { ...row, digest: digestAfter(row, change, kind.digestOf(record)) });
    }
  }
}

function digestAfter(row: RecordedRow, change: { after: string; digest: string }, stored: string): string {
  if (isSameDigest(change.after, stored)) {
    return change.digest;
  }
  return wasTaken(row) ? withAppliedParts(row.digest, change, stored) : row.digest;
}

/** Brings the records of rows up to date that were added or changed in the legacy database. */
async function syncRows(
  round: Round,
  name: Kind,
  rows: readonly LegacyRow[],
  batch: RecordedBatch,
): Promise<void> {
  const kind = kindOf(name);
  const work: Work = { kind, batch, inserts: [], changes: [], beside: [], removals: [] };
  const records = kind.stored(round.context.stores);
  const stored = await records.byIds(rows.map(({ key }) => key));
  const orphans = await orphansAmong(round, work, rows, stored);
  const read = rows.map((row) => ({
    row,
    converted: orphans.has(row) ? { reason: NO_ACCOUNT } : kind.convert(row, round.conversion),
    stored: stored.get(row.key),
  }));
  const withoutAccount = read.filter(({ converted }) => isAboutAccount(converted.reason ?? ''));
  await noteUnseenAbsence(
    round.context,
    kind,
    withoutAccount.map(({ row }) => row),
  );
  for (const row of read) {
    planRow(round, work, row);
  }
  await records.replaceIfUnchanged(work.beside);
  await removeTokens(round, work.removals, batch);
  await changeRecords(round, work);
  await insertNew(round, work);
}

/** The rows whose account was not taken. That of a row that was taken before is the one that its record has. */
async function orphansAmong(
  { context }: Round,
  { kind, batch }: Work,
  rows: readonly LegacyRow[],
  stored: ReadonlyMap<string, AnyRecord>,
): Promise<ReadonlySet<LegacyRow>> {
  if (kind.name === 'accounts') {
    return new Set();
  }
  const isUncertain = (row: LegacyRow) => {
    const recorded = batch.recorded.get(row.key);
    const record = stored.get(row.key);
    const isMoved = record !== undefined && kind.accountIdOf(record) !== kind.accountOf(row);
    return !recorded || !wasTaken(recorded) || isMoved;
  };
  const uncertain = rows.filter(isUncertain);
  const ids = uncertain.map((row) => kind.accountOf(row)).filter((id) => typeof id === 'string');
  const taken = await takenAccounts(context, ids);
  return new Set(uncertain.filter((row) => row.hasAccount && !taken.has(kind.accountOf(row) ?? '')));
}

/**
 * Treats rows that the legacy database does not have any more. Tokens are revoked, accounts are marked by now, and profiles stay.
 * Rows that were taken and have gone since the survey are left to the next round.
 */
async function treatGone(
  round: Round,
  kind: Kind,
  rows: readonly RecordedRow[],
  batch: RecordedBatch,
): Promise<void> {
  const { recorded } = batch;
  const isDue = (row: RecordedRow) =>
    !wasTaken(row) || (round.surveys[kind].gone.has(row.key) && row.sum !== GONE);
  const gone = rows.filter(isDue);
  const recordKind = kindOf(kind);
  const stored = await recordKind.stored(round.context.stores).byIds(gone.map(({ key }) => key));
  for (const row of gone) {
    const record = stored.get(row.key);
    if (kind === 'tokens' && record) {
      // A token that is revoked there is revoked here in any case. It may return with its row.
      recorded.set(row.key, { ...row, digest: WAITING });
    } else if (!wasTaken(row)) {
      recorded.delete(row.key);
    } else if (kind !== 'accounts' || !record || recordKind.isMarked(record)) {
      // What has ended or was erased here is not taken again if the row returns.
      recorded.set(row.key, { ...row, sum: GONE });
    }
  }
  if (kind === 'tokens') {
    await removeTokens(round, [...stored.keys()], batch);
    for (const id of stored.keys()) {
      recorded.delete(id);
    }
  }
  if (kind === 'profiles') {
    await reportKept(round, [...stored.keys()]);
  }
}

/** A profile whose account has gone, too, stays with it, and that is reported with the account. */
async function reportKept({ context: { source, observer } }: Round, ids: readonly string[]): Promise<void> {
  for (const { key: id } of await source.rows('accounts', ids)) {
    observer.found({ kind: 'profiles', id, outcome: 'kept', reason: 'it was deleted there; it stays here' });
  }
}
