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
