import type { StoredCollection } from '@auth-gateway/embedded-mongo/tools';
import { batchesOf } from './batches.ts';
import { missingIn } from './counterparts.ts';
import { indexFields, isExpiring, isSameIndex } from './indexes.ts';
import { type Move, progressOf } from './move-context.ts';

/**
 * Copies the documents that the target does not have.
 * @param present the number of documents in each collection that exists in the target
 */
export async function copyDocuments(move: Move, present: ReadonlyMap<string, number>): Promise<void> {
  const { collections, target } = move;
  const advance = progressOf(move, 'Copy');
  for (const collection of collections) {
    const { name } = collection;
    if (!present.has(name)) {
      await target.create(name);
    }
    await dropExpiring(move, collection);
    let toFind = present.get(name) ?? 0;
    for (const batch of batchesOf(collection.documents())) {
      const missing = toFind > 0 ? await missingIn(target, name, batch) : batch;
      toFind -= batch.length - missing.length;
      if (missing.length > 0) {
        await target.insert(name, missing);
      }
      advance(batch.length);
    }
  }
}

/** The target would remove expired documents before they are compared. The indexes come back at the end. */
async function dropExpiring({ target }: Move, { name, indexes }: StoredCollection): Promise<void> {
  for (const index of (await target.indexes(name)).filter(isExpiring)) {
    if (indexes.some((raw) => isSameIndex(indexFields(raw), index))) {
      await target.dropIndex(name, index);
    }
  }
}
