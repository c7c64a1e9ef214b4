import { type Batch, type BatchRange, type BookedRow, NOT_TAKEN } from '../bookkeeping/bookkeeping.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { removeGone } from './removed-rows.ts';
import type { Round } from './round.ts';
import { syncRows } from './sync-rows.ts';

/** How many changed rows are read at a time. */
const MAX_ROWS = 1_000;

/** A batch whose rows are compared. */
export interface ComparedBatch {
  range: BatchRange;
  /** The last key of the batch before; undefined for the first. */
  after: string | undefined;
  /** True: rows that were not taken are tried again, because their account may be here now. */
  triesAgain: boolean;
}

/** Brings the records of one batch up to date, then remembers the rows as they are now. */
export async function syncBatch(
  round: Round,
  kind: Kind,
  { range, after, triesAgain }: ComparedBatch,
): Promise<void> {
  const { bookkeeping, source } = round.context;
  const batch = await bookkeeping.batch(kind, range.number);
  if (!batch) {
    return;
  }
  const sums = await source.sums(kind, after, range.upTo);
  const booked = new Map(batch.rows.map((row) => [row.key, row]));
  const gone = batch.rows.filter(({ key }) => !sums.has(key));
  const left = new Set(await removeGone(round, kind, gone));
  for (const row of gone) {
    if (!left.has(row)) {
      booked.delete(row.key);
    }
  }
  const isOther = ([key, sum]: [string, string]) => {
    const known = booked.get(key);
    return known?.sum !== sum || (triesAgain && known.digest === NOT_TAKEN);
  };
  const keys = [...sums].filter(isOther).map(([key]) => key);
  for (let start = 0; start < keys.length; start += MAX_ROWS) {
    const rows = await source.rows(kind, keys.slice(start, start + MAX_ROWS));
    await syncRows(round, kind, rows, { booked, number: range.number });
  }
  if (gone.length > 0 || keys.length > 0) {
    await bookkeeping.put(withRows(batch, booked));
  }
}

const withRows = (batch: Batch, booked: ReadonlyMap<string, BookedRow>): Batch => ({
  ...batch,
  rows: [...booked.values()],
});
