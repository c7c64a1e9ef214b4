import type { StoredCollection } from '@auth-gateway/embedded-mongo/tools';
import { batchesOf } from './batches.ts';
import { checkTarget } from './check-target.ts';
import { copyDocuments } from './copy-documents.ts';
import { countSame } from './counterparts.ts';
import { indexFields, isSameIndex, nameOf } from './indexes.ts';
import { type Move, progressOf } from './move-context.ts';
import { markFinished, markUnfinished } from './unfinished-move.ts';

/**
 * Copies collections into a database that does not have them, or goes on with a copy that was interrupted. At its end every
 * document was compared byte for byte, and every index.
 * @throws MoveRefusal if the target has anything else in these collections: nothing was changed. Every other error leaves a
 *   copy that the next move goes on with
 */
export async function moveCollections(move: Move): Promise<void> {
  const present = await checkTarget(move);
  await markUnfinished(move.target.db);
  await copyDocuments(move, present);
  await compareDocuments(move);
  // Not before: a new index may let the target remove documents that have expired.
  for (const collection of move.collections) {
    move.signal.throwIfAborted();
    await makeIndexes(move, collection);
  }
  await markFinished(move.target.db);
}

async function compareDocuments(move: Move): Promise<void> {
  const { collections, target } = move;
  const advance = progressOf(move, 'Compare');
  for (const { name, count, documents } of collections) {
    let same = 0;
    for (const batch of batchesOf(documents())) {
      same += await countSame(target, name, batch);
      advance(batch.length);
    }
    const [wanted, there] = [count(), await target.count(name)];
    if (same !== wanted || there !== wanted) {
      const found = `${wanted} documents were to be moved, ${there} are there, ${same} of them are the same`;
      throw new Error(`${name} in ${target.name} is no copy: ${found}. Does another program write to it?`);
    }
  }
}

async function makeIndexes({ target }: Move, { name, indexes }: StoredCollection): Promise<void> {
  const wanted = indexes.map(indexFields);
  if (wanted.length > 0) {
    await target.createIndexes(name, wanted);
  }
  const there = await target.indexes(name);
  const missing = wanted.filter((index) => !there.some((other) => isSameIndex(index, other)));
  if (missing.length > 0) {
    throw new Error(
      `${name} in ${target.name} does not have these indexes: ${missing.map(nameOf).join(', ')}.`,
    );
  }
}
