import type { LegacyDatabase, LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';

/**
 * How many rows are read, inserted and recorded together. Four such batches are in memory at a time: twice the rows take 40 MB
 * more.
 */
export const BATCH_ROWS = 1_000;

/**
 * The rows of a kind in the order of their keys. The next page is read while the caller works on one.
 * @param after the key behind which the first page begins; undefined: at the first row
 */
export async function* readPages(
  source: LegacyDatabase,
  kind: Kind,
  after: string | undefined,
): AsyncGenerator<LegacyRow[]> {
  const read = (behind: string | undefined) => {
    const page = source.page(kind, behind, BATCH_ROWS);
    // Awaited later. Until then a failure is not an unhandled rejection.
    page.catch(() => {});
    return page;
  };
  for (let next: Promise<LegacyRow[]> | undefined = read(after); next; ) {
    const rows: LegacyRow[] = await next;
    // `sync` takes rows that are added meanwhile.
    next = rows.length < BATCH_ROWS ? undefined : read(rows.at(-1)?.key);
    if (rows.length > 0) {
      yield rows;
    }
  }
}

/** What is stored at a time. With one, the database would wait for the reader and the reader for the database. */
const MAX_RUNNING = 2;

/** How to store an item, and how to commit it. */
export interface Steps<T, R> {
  /** May run for two items at the same time. */
  store(item: T): Promise<R>;
  /** Runs for one item at a time, in their order, and only if all items before it are committed. */
  commit(item: T, stored: R): Promise<void>;
}

/**
 * Stores items, and commits them in their order.
 * @param signal ends the work after the running items
 * @throws the first failure, after the running items have ended; the reason of the signal
 */
export async function storeInOrder<T, R>(
  items: AsyncIterable<T>,
  { store, commit }: Steps<T, R>,
  signal: AbortSignal,
): Promise<void> {
  const running: Promise<void>[] = [];
  let last: Promise<void> = Promise.resolve();
  try {
    for await (const item of items) {
      const stored = store(item);
      last = Promise.all([stored, last]).then(([result]) => commit(item, result));
      last.catch(() => {});
      running.push(last);
      if (running.length >= MAX_RUNNING) {
        await running.shift();
      }
      if (signal.aborted) {
        break;
      }
    }
  } finally {
    await Promise.allSettled(running);
  }
  await last;
  signal.throwIfAborted();
}
