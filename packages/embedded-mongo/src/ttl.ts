import { debug } from './base/debug.ts';
import type { Engine } from './commands/support/command.ts';
import { findDocuments } from './query/find-documents.ts';
import type { Collection } from './storage/collection.ts';
import type { Index } from './storage/index-spec.ts';

/** The interval of mongod's TTL monitor, too. */
const SWEEP_MILLIS = 60_000;
/** Documents that one transaction removes. With more, a sweep would hold up the writes of clients. */
const BATCH = 100;

/** Removes what an earlier process left, and every minute expired documents and unused cursors. Call the result to end it. */
export function startSweeping(engine: Engine): () => void {
  void engine.catalog.leftovers.clean();
  const timer = setInterval(() => {
    engine.cursors.sweep();
    engine.store.forgetDeadReaders();
    void engine.catalog.leftovers.clean();
    removeExpired(engine, new Date()).catch((error) => debug('TTL sweep failed: %o', error));
  }, SWEEP_MILLIS);
  timer.unref();
  return () => clearInterval(timer);
}

/** Removes the documents that have expired at `now`, by the TTL indexes. Gives their number. */
export async function removeExpired(engine: Pick<Engine, 'store' | 'catalog'>, now: Date): Promise<number> {
  let removed = 0;
  for (const collection of engine.catalog.list()) {
    for (const index of collection.indexes) {
      const seconds = index.spec.options.expireAfterSeconds;
      if (seconds !== undefined) {
        const before = new Date(now.getTime() - Number(seconds) * 1000);
        removed += await removeBefore(engine, collection, index, before);
      }
    }
  }
  return removed;
}

/** Only dates expire. A value of another type or a missing one never does. In an array, the earliest date counts. */
async function removeBefore(
  { store, catalog }: Pick<Engine, 'store' | 'catalog'>,
  collection: Collection,
  index: Index,
  before: Date,
): Promise<number> {
  const [field = ''] = index.fields;
  const filter = { ...index.spec.options.partialFilterExpression, $and: [{ [field]: { $lte: before } }] };
  const query = { filter, hint: index, limit: BATCH };
  for (let removed = 0; ; ) {
    const count = await store.write(() => {
      if (catalog.find(collection.namespace) !== collection || index.isDropped) {
        return 0;
      }
      const expired = [...findDocuments(collection, query)].filter((found) => found !== undefined);
      for (const { record, document } of expired) {
        collection.remove(record, document);
      }
      return expired.length;
    });
    removed += count;
    if (count < BATCH) {
      return removed;
    }
  }
}
