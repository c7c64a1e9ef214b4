import { type BookedRow, NOT_TAKEN, WAITING, wasTaken } from '../bookkeeping/booked-row.ts';
import { type Converted, isAboutAccount, isSameDigest } from '../records/legacy-record.ts';

/** What to do with a row that was added or changed in the legacy database, and the digest that is then remembered. */
export type Decision =
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
  const known = booked && wasTaken(booked) ? booked.digest : undefined;
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
export const digestFor = (reason: string): string => (isAboutAccount(reason) ? WAITING : NOT_TAKEN);
