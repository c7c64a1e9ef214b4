import { GONE } from '../bookkeeping/booked-row.ts';
import { isAboutAccount } from '../records/legacy-record.ts';
import { type Decision, digestFor } from './decision.ts';
import type { PlannedRow } from './work.ts';

/** The row was taken, and cannot be taken any more. The rules of its kind say what becomes of its record. */
export function planLost(
  { work, row, stored, book, found }: PlannedRow,
  { reason, digest }: Decision & { act: 'lose' },
): void {
  const { kind, batch, removals } = work;
  if (!stored) {
    return;
  }
  if (!kind.stays(stored, row, reason)) {
    removals.push(row.key);
    found('not taken', reason);
    book(digestFor(reason));
    return;
  }
  const isAccount = kind.name === 'accounts';
  if (isAccount && !kind.isMarked(stored)) {
    // The next round marks it.
    return;
  }
  const sum = batch.booked.get(row.key)?.sum ?? GONE;
  if (isAboutAccount(reason) && sum !== GONE) {
    // What has changed in the row is still to be taken when its account is there again.
    batch.booked.set(row.key, { key: row.key, sum, digest });
    return;
  }
  if (sum !== row.sum) {
    found(isAccount ? 'not taken' : 'kept', isAccount ? reason : `${reason}; it stays as it was`);
  }
  book(digest);
}

/** The row cannot be taken, and has no record that it has made. */
export function planRefused(
  { round, work, row, stored, booked, book, found }: PlannedRow,
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
  if (booked?.sum !== row.sum) {
    found('not taken', reason);
  }
  book(digest);
}
