import { type BookedRow, NOT_TAKEN } from '../bookkeeping/bookkeeping.ts';
import { findingOf } from '../import/import-rows.ts';
import { insertRecords, type NewRecord } from '../import/insert-records.ts';
import type { Finding } from '../legacy-context.ts';
import { type Converted, NO_ACCOUNT } from '../records/legacy-record.ts';
import { type AnyRecord, collectionOf, recordKindOf, storedWithIds } from '../records/stored-records.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { applyChanges, type WantedChange, write } from './apply-changes.ts';
import { prepareDocuments, removeFormerDocuments } from './changed-documents.ts';
import { decide } from './decision.ts';
import { type Change, rulesOf } from './kind-rules.ts';
import { revokeBeforeNewPowers } from './new-powers.ts';
import { rowKindOf } from './new-rows.ts';
import type { Round } from './round.ts';
import { takenAccounts } from './taken-accounts.ts';

/** The rows of a batch. They are brought up to date in place. */
export interface BookedBatch {
  booked: Map<string, BookedRow>;
  number: number;
}

/** What is to be done with the rows that were read together. */
interface Work {
  kind: Kind;
  batch: BookedBatch;
  inserts: { row: LegacyRow; wanted: NewRecord<AnyRecord> }[];
  changes: { row: LegacyRow; stored: AnyRecord; record: AnyRecord; change: WantedChange }[];
  uses: Change[];
}

/** Brings the records of rows up to date that were added or changed in the legacy database. */
export async function syncRows(
  round: Round,
  kind: Kind,
  rows: readonly LegacyRow[],
  batch: BookedBatch,
): Promise<void> {
  const { models } = round.context;
  const work: Work = { kind, batch, inserts: [], changes: [], uses: [] };
  // The account of a row that was taken is here, or was removed here with all that belongs to it.
  const isNew = ({ key }: LegacyRow) => (batch.booked.get(key)?.digest ?? NOT_TAKEN) === NOT_TAKEN;
  const newRows = rows.filter(isNew);
  const accounts = await accountsOf(round, kind, newRows);
  const stored = await storedWithIds(
    models,
    kind,
    rows.map(({ key }) => key),
  );
  for (const row of rows) {
    await sortOut(
      round,
      work,
      row,
      convert(round, kind, row, isNew(row) ? accounts : undefined),
      stored.get(row.key),
    );
  }
  await write(collectionOf(models, kind) as never, work.uses);
  await change(round, work);
  await insert(round, work);
}

/** The accounts of the rows that were taken. */
async function accountsOf(
  { context }: Round,
  kind: Kind,
  rows: readonly LegacyRow[],
): Promise<ReadonlySet<string>> {
  const ids = rows.map((row) => rowKindOf(kind).accountOf(row)).filter((id) => typeof id === 'string');
  return takenAccounts(context, ids);
}

function convert(
  { context: { readTime, policy }, now, erased }: Round,
  kind: Kind,
  row: LegacyRow,
  accounts: ReadonlySet<string> | undefined,
): Converted<AnyRecord> {
  const accountId = rowKindOf(kind).accountOf(row);
  return row.hasAccount && accounts && typeof accountId === 'string' && !accounts.has(accountId)
    ? { reason: NO_ACCOUNT }
    : recordKindOf(kind).convert(row, { readTime, now, policy, erased });
}

/** Decides about one row. What needs no request of its own is done together with others. */
async function sortOut(
  round: Round,
  work: Work,
  row: LegacyRow,
  converted: Converted<AnyRecord>,
  stored: AnyRecord | undefined,
): Promise<void> {
  const { kind, batch } = work;
  const booked = batch.booked.get(row.key);
  const storedDigest = stored && recordKindOf(kind).digestOf(stored);
  const decision = decide({ booked, converted, storedDigest });
  const book = (digest: string) => batch.booked.set(row.key, { key: row.key, sum: row.sum, digest });
  const found = (outcome: Finding['outcome'], reason: string) =>
    round.context.observer.found({ kind, id: row.key, outcome, reason });
  const { record, digest = '' } = converted as { record?: AnyRecord; digest?: string };
  switch (decision.act) {
    case 'insert':
      if (record) {
        work.inserts.push({ row, wanted: { record, digest } });
      }
      break;
    case 'update':
      if (record && stored) {
        const change = { ...rulesOf(kind).change(stored, record), key: row.key, digest };
        work.changes.push({ row, stored, record, change });
      }
      break;
    case 'remember': {
      const use = stored && record && rulesOf(kind).laterUse?.(stored, record);
      work.uses.push(...(use ? [use] : []));
      book(decision.digest);
      break;
    }
    case 'remove':
      if (stored && (await rulesOf(kind).remove(round.context, stored))) {
        round.changes[kind].removed += 1;
        found('not taken', decision.reason);
        book(NOT_TAKEN);
      }
      break;
    case 'refuse':
      // A row that is only tried again was reported before.
      if (booked?.sum !== row.sum) {
        found('not taken', decision.reason);
      }
      book(NOT_TAKEN);
      break;
    case 'conflict':
      found('conflict', decision.reason);
      // The digest stays: the record is still the one that was changed here.
      book(booked?.digest ?? NOT_TAKEN);
  }
}

async function change(round: Round, { kind, batch, changes }: Work): Promise<void> {
  if (changes.length === 0) {
    return;
  }
  const { context } = round;
  await prepareDocuments(context, kind, changes);
  await revokeBeforeNewPowers(context, kind, changes);
  const wanted = changes.map((one) => one.change);
  const failed = await applyChanges(context, kind, wanted);
  const done = changes.filter(({ row }) => !failed.has(row.key));
  for (const { row, change } of done) {
    batch.booked.set(row.key, { key: row.key, sum: row.sum, digest: change.digest });
  }
  round.changes[kind].changed += done.length;
  await removeFormerDocuments(context, kind, done);
  if (failed.size > 0) {
    // The rows stay booked as they were, so that they are tried again.
    round.blocked.set(batch.number, failed);
  }
}

async function insert(round: Round, { kind, batch, inserts }: Work): Promise<void> {
  if (inserts.length === 0) {
    return;
  }
  if (round.isBeforeAccounts && kind === 'tokens') {
    round.waiting.add(batch.number);
    return;
  }
  const { context } = round;
  if (kind === 'accounts') {
    await context.bookkeeping.noteNewAccounts();
  }
  await prepareDocuments(
    context,
    kind,
    inserts.map(({ wanted: { record } }) => ({ record })),
  );
  const records = inserts.map(({ wanted }) => wanted);
  const outcomes = await insertRecords(
    collectionOf(context.models, kind) as never,
    recordKindOf(kind),
    records,
  );
  for (const [index, { row, wanted }] of inserts.entries()) {
    const outcome = outcomes[index] ?? 'stored';
    const isStored = outcome === 'stored';
    if (!isStored) {
      context.observer.found(findingOf(kind, row.key, outcome));
    }
    round.changes[kind].added += isStored ? 1 : 0;
    const digest = isStored ? wanted.digest : NOT_TAKEN;
    batch.booked.set(row.key, { key: row.key, sum: row.sum, digest });
  }
}
