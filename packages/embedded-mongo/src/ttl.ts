import { debug } from './base/debug.ts';
import type { Engine } from './commands/command.ts';
import { findDocuments } from './query/query.ts';
import type { Collection } from './storage/collection.ts';
import type { Index } from './storage/index-spec.ts';

/** As mongod's TTL monitor. */
const SWEEP_MILLISECONDS = 60_000;
/** Documents one transaction removes: a sweep of many must not hold up the writes of requests. */
const BATCH = 500;

/** Removes expired documents, and cursors nobody reads, every minute until the function it returns is called. */
export function startSweeping(engine: Engine): () => void {
  const timer = setInterval(() => {
    engine.cursors.sweep();
    removeExpired(engine, new Date()).catch((error) => debug('TTL sweep failed: %o', error));
  }, SWEEP_MILLISECONDS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Removes what TTL indexes say has expired at a time; answers how many documents that were. */
export async function removeExpired(engine: Engine, now: Date): Promise<number> {
  let removed = 0;
  for (const collection of engine.catalog.list()) {
    for (const index of collection.indexes) {
      const seconds = index.spec.options.expireAfterSeconds;
      if (seconds === undefined) continue;
      const before = new Date(now.getTime() - Number(seconds) * 1000);
      removed += await removeBefore(engine, collection, index, before);
    }
  }
  return removed;
}

/** Only dates expire: a value of another type, or a missing one, never does. Of an array the earliest date counts. */
async function removeBefore(
  engine: Engine,
  collection: Collection,
  index: Index,
  before: Date,
): Promise<number> {
  const [field = ''] = index.fields;
  const filter = { ...index.spec.options.partialFilterExpression, $and: [{ [field]: { $lte: before } }] };
  const query = { filter, hint: index, limit: BATCH };
  for (let removed = 0; ; ) {
    const count = await engine.store.write(() => {
      if (engine.catalog.find(collection.namespace) !== collection) return 0;
      const expired = [...findDocuments(collection, query)].filter((found) => found !== undefined);
      for (const { record, document } of expired) collection.remove(record, document);
      return expired.length;
    });
    removed += count;
    if (count < BATCH) return removed;
  }
}
