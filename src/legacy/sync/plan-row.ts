import type { BookedRow } from '../bookkeeping/booked-row.ts';
import type { AnyRecord } from '../records/kinds.ts';
import { isSameDigest, otherParts, withAppliedParts } from '../records/legacy-record.ts';
import { type Decision, decide } from './decision.ts';
import type { Round } from './round.ts';
import { planLost, planRefused } from './untaken-rows.ts';
import type { BookedBatch, PlannedRow, ReadRow, Work } from './work.ts';

/** Decides about one row. What needs no request of its own is done together with others. */
export function planRow(round: Round, work: Work, { row, converted, stored }: ReadRow): void {
  const { kind, batch } = work;
  const { key, sum } = row;
  const storedDigest = stored && kind.digestOf(stored);
  const booked = bookedOf(batch, key, storedDigest);
  if (booked) {
    // Remembered before the next change of the row replaces the pending one: this round may be killed, too.
    batch.booked.set(key, booked);
  }
  const planned: PlannedRow = {
    ...{ round, work, row, converted, stored, booked },
    book: (digest) => batch.booked.set(key, { key, sum, digest }),
    found: (outcome, reason) => round.context.observer.found({ kind: kind.name, id: key, outcome, reason }),
  };
  plan(planned, decide({ booked, converted, storedDigest }));
}

function plan(planned: PlannedRow, decision: Decision): void {
  switch (decision.act) {
    case 'insert':
      planInsert(planned);
      break;
    case 'update':
    case 'merge':
      planChange(planned, decision);
      break;
    case 'remember':
      planRemember(planned, decision.digest);
      break;
    case 'lose':
      planLost(planned, decision);
      break;
    case 'refuse':
      planRefused(planned, decision);
      break;
    case 'conflict':
      planned.found('conflict', decision.reason);
      planned.book(decision.digest);
  }
}

/** What is known of a row. A round that was killed may have changed its record, without remembering that. */
function bookedOf({ booked, pending }: BookedBatch, key: string, storedDigest: string | undefined) {
  const row = booked.get(key);
  const change = pending.get(key);
  if (!row || !change || storedDigest === undefined) {
    return row;
  }
  return isSameDigest(change.after, storedDigest)
    ? { ...row, digest: change.digest }
    : { ...row, digest: withAppliedParts(row.digest, change, storedDigest) };
}

function planInsert({ work, row, converted: { record, digest = '' }, stored }: PlannedRow): void {
  if (record && stored && work.kind.isImported(stored)) {
    // A round was killed before it could remove or remember the token of this row.
    work.changes.push({ row, before: stored, after: work.kind.changed(stored, record), digest });
  } else if (record) {
    work.inserts.push({ row, wanted: { record, digest } });
  }
}

function planChange(planned: PlannedRow, { act, digest }: Decision & { act: 'update' | 'merge' }): void {
  const { work, row, converted, stored, booked } = planned;
  const { record } = converted;
  if (record && stored && booked) {
    const wanted = act === 'update' ? record : mergeOf(planned, { booked, stored, record });
    work.changes.push({ row, before: stored, after: work.kind.changed(stored, wanted), digest });
  }
}

/** The record as it becomes if it was changed on both sides. The change here stays. */
function mergeOf(
  { work: { kind }, converted: { digest: there = '' }, found }: PlannedRow,
  { booked, stored, record }: { booked: BookedRow; stored: AnyRecord; record: AnyRecord },
): AnyRecord {
  const here = kind.digestOf(stored);
  const isKept = otherParts(booked.digest, here);
  const isOtherThere = otherParts(booked.digest, there);
  const isDifferent = otherParts(here, there);
  const merged = kind.merged(stored, record, isKept);
  if (!merged || isKept.some((kept, part) => kept && isOtherThere[part] && isDifferent[part])) {
    found('conflict', 'it was changed on both sides; the change here stays');
  }
  return merged ?? stored;
}

/** The stored record has all of the row but perhaps what no digest has. */
function planRemember({ work, row, converted: { record }, stored, book }: PlannedRow, digest: string): void {
  const { kind } = work;
  const refreshed = stored && record && kind.refreshed(stored, record);
  if (refreshed) {
    work.beside.push({ before: stored, after: refreshed });
  }
  const repaired = stored && kind.repaired(stored);
  if (repaired) {
    work.changes.push({ row, before: stored, after: repaired, digest });
  } else {
    book(digest);
  }
}
