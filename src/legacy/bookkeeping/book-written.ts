import type { Kind } from '../source/legacy-tables.ts';
import type { BatchRange } from './batch.ts';
import type { BookedRow } from './booked-row.ts';
import type { Bookkeeping } from './bookkeeping.ts';

/**
 * Remembers rows in the batches of their ranges, so that `sync` does not take them for new ones.
 * @param rows in any order
 * @param run makes a batch for rows behind the last one
 */
export async function bookWritten(
  bookkeeping: Bookkeeping,
  kind: Kind,
  rows: readonly BookedRow[],
  run: string,
): Promise<void> {
  const ranges = await bookkeeping.ranges(kind);
  const byRange = new Map<BatchRange | undefined, BookedRow[]>();
  for (const row of rows) {
    const range = ranges.find(({ upTo }) => isUpTo(row.key, upTo));
    byRange.set(range, [...(byRange.get(range) ?? []), row]);
  }
  for (const [range, added] of byRange) {
    await (range ? addTo(bookkeeping, kind, range, added) : append(bookkeeping, kind, added, run));
  }
}

const isUpTo = (key: string, upTo: string): boolean =>
  /^\d+$/.test(upTo) && /^\d+$/.test(key) ? BigInt(key) <= BigInt(upTo) : key <= upTo;

async function addTo(
  bookkeeping: Bookkeeping,
  kind: Kind,
  { number }: BatchRange,
  added: readonly BookedRow[],
): Promise<void> {
  const batch = await bookkeeping.batch(kind, number);
  if (batch) {
    const rows = new Map([...batch.rows, ...added].map((row) => [row.key, row]));
    await bookkeeping.put({ ...batch, rows: [...rows.values()] });
  }
}

async function append(
  bookkeeping: Bookkeeping,
  kind: Kind,
  added: readonly BookedRow[],
  run: string,
): Promise<void> {
  const last = await bookkeeping.last(kind);
  const rows = added.toSorted((one, other) => (isUpTo(one.key, other.key) ? -1 : 1));
  await bookkeeping.put({ kind, number: (last?.number ?? -1) + 1, run, rows });
}
