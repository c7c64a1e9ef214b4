import type { LegacyTotal } from '../source/legacy-database.ts';
import type { SumForm } from '../source/legacy-sql.ts';
import type { Kind } from '../source/legacy-tables.ts';
import type { BookedRow } from './booked-row.ts';

/** What batches are made of: rows, or files. The key of a file is its stored path, its sum the beginning of its SHA-256. */
export type BatchKind = Kind | 'files';

/** Rows that were read together, in the order of their keys. The batches of a kind follow each other in this order, too. */
export interface Batch {
  kind: BatchKind;
  /** Its place among the batches of its kind, from 0. */
  number: number;
  /** The run that has made it. A later run may have changed some of its rows. */
  run: string;
  rows: BookedRow[];
  /** The end of its range, if that is behind its last row, which was deleted since. */
  upTo?: string;
  /** How its sums were made; undefined: as today. */
  form?: SumForm;
  /** True: a `sync` has begun with it, and was killed before the end. Any of its rows may be half done. */
  isOpen?: boolean;
  /** Changes of records that were about to be stored when a `sync` was killed, by the keys of their rows. */
  pending?: PendingChanges;
}

/** What a record becomes, and the digest that is then remembered of its row. */
export type PendingChanges = ReadonlyMap<string, { after: string; digest: string }>;

/** A batch without its rows. */
export interface BatchRange extends LegacyTotal {
  number: number;
  /** The last key of its range. The range begins behind that of the batch before. */
  upTo: string;
  /** How many of its rows were not taken. */
  notTaken: number;
  /** How many of these are tried again. */
  waiting: number;
  form: SumForm;
  isOpen: boolean;
}

/** The ranges that may have the keys. Only numbers have the same order in every database: other keys may be in any range. */
export function rangesWith(ranges: readonly BatchRange[], keys: readonly string[]): readonly BatchRange[] {
  if (![...keys, ...ranges.map(({ upTo }) => upTo)].every((text) => /^\d+$/.test(text))) {
    return ranges;
  }
  const ends = ranges.map(({ upTo }) => BigInt(upTo));
  const isInOrder = ends.every((end, index) => index === 0 || end > (ends[index - 1] ?? 0n));
  const indexes = new Set(keys.map((key) => ends.findIndex((end) => BigInt(key) <= end)));
  return isInOrder ? ranges.filter((_, index) => indexes.has(index)) : ranges;
}
