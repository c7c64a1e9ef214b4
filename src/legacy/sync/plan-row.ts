import { GONE, NOT_TAKEN, type RecordedRow, WAITING, wasTaken } from '../journal/batch.ts';
import type { AnyRecord } from '../records/kinds.ts';
import { type Converted, isAboutAccount, isSameDigest, otherParts } from '../records/legacy-record.ts';
import type { PlannedRow, ReadRow, Round, Work } from './round.ts';

/** Decides about one row. What needs no request of its own is done together with others. */
export function planRow(round: Round, work: Work, { row, converted, stored }: ReadRow): void {
  const { kind, batch } = work;
  const { key, sum } = row;
  const recorded = batch.recorded.get(key);
  const planned: PlannedRow = {
    ...{ round, work, row, converted, stored, recorded },
    recordRow: (digest) => batch.recorded.set(key, { key, sum, digest }),
    found: (outcome, reason) => round.context.observer.found({ kind: kind.name, id: key, outcome, reason }),
  };
  plan(planned, decide({ recorded, converted, storedDigest: stored && kind.digestOf(stored) }));
}

/** What is known of one row. */
interface RowState {
  /** What is remembered; undefined for a new row. */
  recorded: RecordedRow | undefined;
  converted: Converted<unknown>;
  /** The digest of the stored record; undefined if there is none. */
  storedDigest: string | undefined;
}

/** What to do with a row that was added or changed in the legacy database, and the digest that is then remembered. */
type Decision =
  /** Store it: it was not stored before. */
  | { act: 'insert' }
  /** Change the stored record. */
  | { act: 'update'; digest: string }
  /** Change those parts of the stored record that were not changed here. */
  | { act: 'merge'; digest: string }
  /** Only remember the row. The stored record has all of it but perhaps what no digest has. */
  | { act: 'remember'; digest: string }
  /** The row cannot be taken any more. The rules of the kind say what becomes of the stored record. */
  | { act: 'lose'; reason: string; digest: string }
  /** Remember that the row is not taken. */
  | { act: 'refuse'; reason: string; digest: string }
  /** The record was removed here, so the row is not taken. */
  | { act: 'conflict'; reason: string; digest: string };

/** Decides what a change in the legacy database means here. */
export function decide({ recorded, converted, storedDigest }: RowState): Decision {
  const known = recorded && wasTaken(recorded) ? recorded.digest : undefined;
  if (converted.reason !== undefined) {
    return decideOnRefused(converted.reason, known, storedDigest);
  }
  const { digest } = converted;
  if (known === undefined) {
    return { act: 'insert' };
  }
  // Equal on both sides, or changed there in nothing that is stored here.
  if (isSameDigest(storedDigest, digest) || isSameDigest(known, digest)) {
    return { act: 'remember', digest };
  }
  if (storedDigest === undefined) {
    return { act: 'conflict', reason: 'it was changed there and deleted here', digest: known };
  }
  return { act: isSameDigest(storedDigest, known) ? 'update' : 'merge', digest };
}

function decideOnRefused(
  reason: string,
  known: string | undefined,
  storedDigest: string | undefined,
): Decision {
  if (known !== undefined && storedDigest !== undefined) {
    return { act: 'lose', reason, digest: known };
  }
  return { act: 'refuse', reason, digest: known ?? digestFor(reason) };
}

/** What is remembered of a row that is not taken. */
const digestFor = (reason: string): string => (isAboutAccount(reason) ? WAITING : NOT_TAKEN);

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
      planned.recordRow(decision.digest);
  }
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
  const { work, row, converted, stored, recorded } = planned;
  const { record } = converted;
  if (record && stored && recorded) {
    const wanted = act === 'update' ? record : mergeOf(planned, { recorded, stored, record });
    work.changes.push({ row, before: stored, after: work.kind.changed(stored, wanted), digest });
  }
}

/** The record as it becomes if it was changed on both sides. The change here stays. */
function mergeOf(
  { work: { kind }, converted: { digest: there = '' }, found }: PlannedRow,
  { recorded, stored, record }: { recorded: RecordedRow; stored: AnyRecord; record: AnyRecord },
): AnyRecord {
  const here = kind.digestOf(stored);
  const isKept = otherParts(recorded.digest, here, kind.changedParts(stored));
  const isOtherThere = otherParts(recorded.digest, there);
  const isDifferent = otherParts(here, there);
  const merged = kind.merged(stored, record, isKept);
  if (!merged || isKept.some((kept, part) => kept && isOtherThere[part] && isDifferent[part])) {
    found('conflict', 'it was changed on both sides; the change here stays');
  }
  return merged ?? stored;
}

/** The stored record has all of the row but perhaps what no digest has. */
function planRemember(
  { work, row, converted: { record }, stored, recordRow }: PlannedRow,
  digest: string,
): void {
  const { kind } = work;
  const refreshed = stored && record && kind.refreshed(stored, record);
  if (refreshed) {
    work.beside.push({ before: stored, after: refreshed });
  }
  const repaired = stored && kind.repaired(stored);
  if (repaired) {
    work.changes.push({ row, before: stored, after: repaired, digest });
  } else {
    recordRow(digest);
  }
}

/** The row was taken, and cannot be taken any more. The rules of its kind say what becomes of its record. */
function planLost(
  { work, row, stored, recordRow, found }: PlannedRow,
  { reason, digest }: Decision & { act: 'lose' },
): void {
  const { kind, batch, removals } = work;
  if (!stored) {
    return;
  }
  if (!kind.stays(stored, row, reason)) {
    removals.push(row.key);
    found('not taken', reason);
    recordRow(digestFor(reason));
    return;
  }
  const isAccount = kind.name === 'accounts';
  if (isAccount && !kind.isMarked(stored)) {
    // The next round marks it.
    return;
  }
  const sum = batch.recorded.get(row.key)?.sum ?? GONE;
  if (isAboutAccount(reason) && sum !== GONE) {
    // What has changed in the row is still to be taken when its account is there again.
    batch.recorded.set(row.key, { key: row.key, sum, digest });
    return;
  }
  if (sum !== row.sum) {
    found(isAccount ? 'not taken' : 'kept', isAccount ? reason : `${reason}; it stays as it was`);
  }
  recordRow(digest);
}

/** The row cannot be taken, and has no record that it has made. */
function planRefused(
  { round, work, row, stored, recorded, recordRow, found }: PlannedRow,
  { reason, digest }: Decision & { act: 'refuse' },
): void {
  const { kind, batch, removals } = work;
  if (stored && kind.isImported(stored) && !kind.stays(stored, row, reason)) {
    removals.push(row.key);
  }
  if (round.isBeforeAccounts && isAboutAccount(reason)) {
    // Its account may come in this round.
    round.waiting.add(batch.number);
    return;
  }
  // A row that is only tried again was reported before.
  if (recorded?.sum !== row.sum) {
    found('not taken', reason);
  }
  recordRow(digest);
}
