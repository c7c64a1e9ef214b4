import { type BookedRow, wasTaken } from '../bookkeeping/booked-row.ts';
import type { Finding } from '../legacy-context.ts';
import {
  type Converted,
  isAboutAccount,
  isSameDigest,
  NO_ACCOUNT,
  otherParts,
} from '../records/legacy-record.ts';
import { type AnyRecord, collectionOf, recordKindOf, storedWithIds } from '../records/stored-records.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { write } from './apply-changes.ts';
import { decide, digestFor } from './decision.ts';
import { rulesOf } from './kind-rules.ts';
import { rowKindOf } from './new-rows.ts';
import type { Round } from './round.ts';
import { type BookedBatch, changeRecords, insertNew, removeTokens, type Work } from './store-rows.ts';
import { takenAccounts } from './taken-accounts.ts';

/** A row, what it has become, and its stored record. */
interface ReadRow {
  row: LegacyRow;
  converted: Converted<AnyRecord>;
  stored: AnyRecord | undefined;
}

/** Brings the records of rows up to date that were added or changed in the legacy database. */
export async function syncRows(
  round: Round,
  kind: Kind,
  rows: readonly LegacyRow[],
  batch: BookedBatch,
): Promise<void> {
  const { models } = round.context;
  const work: Work = { kind, batch, inserts: [], changes: [], beside: [], removals: [] };
  const stored = await storedWithIds(
    models,
    kind,
    rows.map(({ key }) => key),
  );
  const { accountOf } = rowKindOf(kind);
  // The account of another row that was taken is the one that its record has.
  const isUncertain = (row: LegacyRow) => {
    const booked = batch.booked.get(row.key);
    const record = stored.get(row.key);
    const isMoved = record !== undefined && 'accountId' in record && record.accountId !== accountOf(row);
    return !booked || !wasTaken(booked) || isMoved;
  };
  const uncertain = new Set(kind === 'accounts' ? [] : rows.filter(isUncertain));
  const ids = [...uncertain].map(accountOf).filter((id) => typeof id === 'string');
  const accounts = await takenAccounts(round.context, ids);
  for (const row of rows) {
    const isOrphan = uncertain.has(row) && row.hasAccount && !accounts.has(accountOf(row) ?? '');
    const converted = isOrphan ? { reason: NO_ACCOUNT } : recordKindOf(kind).convert(row, round.conversion);
    sortOut(round, work, { row, converted, stored: stored.get(row.key) });
  }
  await write(collectionOf(models, kind) as never, work.beside);
  await removeTokens(round, work.removals, batch);
  await changeRecords(round, work);
  await insertNew(round, work);
}

/** What is known of a row. A round that was killed may have changed its record, without remembering that. */
function bookedOf({ booked, pending }: BookedBatch, key: string, storedDigest: string | undefined) {
  const row = booked.get(key);
  const change = pending.get(key);
  const isChanged = row && change && storedDigest !== undefined && isSameDigest(change.after, storedDigest);
  return isChanged ? { ...row, digest: change.digest } : row;
}

/** Decides about one row. What needs no request of its own is done together with others. */
function sortOut(round: Round, work: Work, { row, converted, stored }: ReadRow): void {
  const { kind, batch } = work;
  const { digestOf } = recordKindOf(kind);
  const storedDigest = stored && digestOf(stored);
  const booked = bookedOf(batch, row.key, storedDigest);
  if (booked) {
    // Remembered before the next change of the row replaces the pending one: this round may be killed, too.
    batch.booked.set(row.key, booked);
  }
  const decision = decide({ booked, converted, storedDigest });
  const book = (digest: string) => batch.booked.set(row.key, { key: row.key, sum: row.sum, digest });
  const found = (outcome: Finding['outcome'], reason: string) =>
    round.context.observer.found({ kind, id: row.key, outcome, reason });
  const { record, digest: convertedDigest = '' } = converted;
  switch (decision.act) {
    case 'insert':
      if (record && stored && 'imported' in stored) {
        // A round was killed before it could remove or remember the token of this row.
        const change = { ...rulesOf(kind).change(stored, record), key: row.key, after: convertedDigest };
        work.changes.push({ row, stored, record, change, digest: convertedDigest });
      } else if (record) {
        work.inserts.push({ row, wanted: { record, digest: convertedDigest } });
      }
      break;
    case 'update':
    case 'merge':
      if (record && stored && booked) {
        const merged =
          decision.act === 'update'
            ? record
            : mergeOf(kind, { booked, stored, record, convertedDigest }, found);
        const change = { ...rulesOf(kind).change(stored, merged), key: row.key, after: digestOf(merged) };
        work.changes.push({ row, stored, record: merged, change, digest: decision.digest });
      }
      break;
    case 'remember': {
      const beside = stored && record && rulesOf(kind).beside(stored, record);
      work.beside.push(...(beside ? [beside] : []));
      if (stored && rulesOf(kind).isBroken(stored)) {
        const change = { ...rulesOf(kind).mend(stored), key: row.key, after: digestOf(stored) };
        work.changes.push({ row, stored, record: stored, change, digest: decision.digest });
      } else {
        book(decision.digest);
      }
      break;
    }
    case 'lose':
      if (stored) {
        lose(work, { row, stored, ...decision }, found);
      }
      break;
    case 'refuse':
      if (stored && 'imported' in stored && !rulesOf(kind).stays(stored, row, decision.reason)) {
        work.removals.push(row.key);
      }
      if (round.isBeforeAccounts && isAboutAccount(decision.reason)) {
        // Its account may come in this round.
        round.waiting.add(batch.number);
        break;
      }
      // A row that is only tried again was reported before.
      if (booked?.sum !== row.sum) {
        found('not taken', decision.reason);
      }
      book(decision.digest);
      break;
    case 'conflict':
      found('conflict', decision.reason);
      book(decision.digest);
  }
}

interface MergedRow {
  booked: BookedRow;
  stored: AnyRecord;
  record: AnyRecord;
  convertedDigest: string;
}

/** The record as it becomes if it was changed on both sides. The change here stays. */
function mergeOf(
  kind: Kind,
  { booked, stored, record, convertedDigest }: MergedRow,
  found: (outcome: 'conflict', reason: string) => void,
): AnyRecord {
  const { merge, digestOf } = recordKindOf(kind);
  const storedDigest = digestOf(stored);
  const isKept = otherParts(booked.digest, storedDigest);
  const isOtherThere = otherParts(booked.digest, convertedDigest);
  const isDifferent = otherParts(storedDigest, convertedDigest);
  if (!merge || isKept.some((kept, part) => kept && isOtherThere[part] && isDifferent[part])) {
    found('conflict', 'it was changed on both sides; the change here stays');
  }
  return merge ? merge(stored, record, isKept) : stored;
}

/** The row cannot be taken any more. */
function lose(
  { kind, batch, removals }: Work,
  { row, stored, reason, digest }: { row: LegacyRow; stored: AnyRecord; reason: string; digest: string },
  found: (outcome: Finding['outcome'], reason: string) => void,
): void {
  const { key, sum } = row;
  const isReported = batch.booked.get(key)?.sum === sum;
  if (!rulesOf(kind).stays(stored, row, reason)) {
    removals.push(key);
    found('not taken', reason);
    batch.booked.set(key, { key, sum, digest: digestFor(reason) });
    return;
  }
  if (kind === 'accounts' && !('legacyAbsence' in stored)) {
    // It is not marked yet: the next round does so.
    return;
  }
  if (!isReported && kind === 'accounts') {
    found('not taken', reason);
  } else if (!isReported && !isAboutAccount(reason)) {
    found('kept', `${reason}; it stays as it was`);
  }
  batch.booked.set(key, { key, sum, digest });
}
