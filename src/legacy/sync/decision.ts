import { type BookedRow, NOT_TAKEN } from '../bookkeeping/bookkeeping.ts';
import type { Converted } from '../records/legacy-record.ts';

/** What to do with a row that was added or changed in the legacy database. */
export type Decision =
  /** Store it: it was not stored before. */
  | { act: 'insert' }
  /** Change the stored record. */
  | { act: 'update' }
  /** Only remember the row. The stored record has all of it but perhaps its last use. */
  | { act: 'remember'; digest: string }
  /** Remove the stored record, because the row cannot be taken any more. */
  | { act: 'remove'; reason: string }
  /** Remember that the row is not taken. */
  | { act: 'refuse'; reason: string }
  /** The row was changed on both sides. The stored record wins. */
  | { act: 'conflict'; reason: string };

/** What is known of one row. */
export interface RowState {
  /** What is remembered; undefined for a new row. */
  booked: BookedRow | undefined;
  converted: Converted<unknown>;
  /** The digest of the stored record; undefined if there is none. */
  storedDigest: string | undefined;
}

/** Decides what a change in the legacy database means here. */
export function decide({ booked, converted, storedDigest }: RowState): Decision {
  const known = booked?.digest === NOT_TAKEN ? undefined : booked?.digest;
  if (converted.reason !== undefined) {
    return decideOnRefused(converted.reason, known, storedDigest);
  }
  const { digest } = converted;
  if (known === undefined) {
    return { act: 'insert' };
  }
  // Equal on both sides, or changed there in nothing that is stored here.
  if (storedDigest === digest || known === digest) {
    return { act: 'remember', digest };
  }
  if (storedDigest === undefined) {
    return { act: 'conflict', reason: 'it was changed there and deleted here' };
  }
  return storedDigest === known
    ? { act: 'update' }
    : { act: 'conflict', reason: 'it was changed on both sides; the change here stays' };
}

function decideOnRefused(
  reason: string,
  known: string | undefined,
  storedDigest: string | undefined,
): Decision {
  if (known === undefined || storedDigest === undefined) {
    return { act: 'refuse', reason };
  }
  return storedDigest === known
    ? { act: 'remove', reason }
    : { act: 'conflict', reason: `it was changed here, and it cannot be taken any more: ${reason}` };
}
