import type { BatchRange } from '../bookkeeping/batch.ts';
import { type BookedRow, WAITING } from '../bookkeeping/booked-row.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { treatGone } from './gone-rows.ts';
import type { Round } from './round.ts';
import { syncRows } from './sync-rows.ts';

/** How many changed rows are read at a time. */
const MAX_ROWS = 1_000;

/** A batch whose rows are compared. */
export interface ComparedBatch {
  range: BatchRange;
  /** The last key of the batch before; undefined for the first. */
  after: string | undefined;
  /** True: rows that wait for something else are tried again. */
  triesAgain: boolean;
}

/**
 * Brings the records of one batch up to date, then remembers the rows as they are now. The batch is open meanwhile, and stays so
 * after a kill: then the next round looks at each of its rows, whatever their sums say.
 */
export async function syncBatch(
  round: Round,
  kind: Kind,
  { range, after, triesAgain }: ComparedBatch,
): Promise<void> {
  const { bookkeeping, source } = round.context;
  const { number } = range;
  const batch = await bookkeeping.batch(kind, number);
  if (!batch) {
    return;
  }
  const sums = await source.sums(kind, after, range.upTo);
  const booked = new Map(batch.rows.map((row) => [row.key, row]));
  const gone = batch.rows.filter(({ key }) => !sums.has(key));
  const isOther = ([key, sum]: [string, string]) => {
    const known = booked.get(key);
    return batch.isOpen || known?.sum !== sum || (triesAgain && known.digest === WAITING);
  };
  const keys = [...sums].filter(isOther).map(([key]) => key);
  if (gone.length === 0 && keys.length === 0) {
    return;
  }
  await bookkeeping.open(kind, number);
  const pending = new Map(batch.pending);
  const save = () => bookkeeping.put({ ...batch, rows: [...booked.values()], isOpen: true, pending });
  const work = { booked, number, pending, save };
  await treatGone(round, kind, gone, work);
  for (let start = 0; start < keys.length; start += MAX_ROWS) {
    const rows = await source.rows(kind, keys.slice(start, start + MAX_ROWS));
    await syncRows(round, kind, rows, work);
  }
  const rows: BookedRow[] = [...booked.values()];
  // One of them may have no e-mail's key until its exchange is complete.
  const isOpen =
    kind === 'accounts' && (round.blocked.get(number) ?? []).some(({ held }) => held !== undefined);
  await bookkeeping.put({ ...batch, rows, isOpen, pending: new Map() });
  await bookkeeping.notes.forgetInserts(kind, number);
}
