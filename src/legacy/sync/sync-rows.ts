import { wasTaken } from '../bookkeeping/booked-row.ts';
import { type AnyRecord, kindOf } from '../records/kinds.ts';
import { NO_ACCOUNT } from '../records/legacy-record.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { planRow } from './plan-row.ts';
import type { Round } from './round.ts';
import { changeRecords, insertNew, removeTokens } from './store-rows.ts';
import { takenAccounts } from './taken-accounts.ts';
import type { BookedBatch, Work } from './work.ts';

/** Brings the records of rows up to date that were added or changed in the legacy database. */
export async function syncRows(
  round: Round,
  name: Kind,
  rows: readonly LegacyRow[],
  batch: BookedBatch,
): Promise<void> {
  const kind = kindOf(name);
  const work: Work = { kind, batch, inserts: [], changes: [], beside: [], removals: [] };
  const records = kind.stored(round.context.stores);
  const stored = await records.byIds(rows.map(({ key }) => key));
  const orphans = await orphansAmong(round, work, rows, stored);
  for (const row of rows) {
    const converted = orphans.has(row) ? { reason: NO_ACCOUNT } : kind.convert(row, round.conversion);
    planRow(round, work, { row, converted, stored: stored.get(row.key) });
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
    const booked = batch.booked.get(row.key);
    const record = stored.get(row.key);
    const isMoved = record !== undefined && kind.accountIdOf(record) !== kind.accountOf(row);
    return !booked || !wasTaken(booked) || isMoved;
  };
  const uncertain = rows.filter(isUncertain);
  const ids = uncertain.map((row) => kind.accountOf(row)).filter((id) => typeof id === 'string');
  const taken = await takenAccounts(context, ids);
  return new Set(uncertain.filter((row) => row.hasAccount && !taken.has(kind.accountOf(row) ?? '')));
}
