import type { StoredCollection } from '@auth-gateway/embedded-mongo/tools';
import { batchesOf } from './batches.ts';
import { countSame } from './counterparts.ts';
import { indexFields, isSameIndex, nameOf } from './indexes.ts';
import { type Move, progressOf } from './move-context.ts';
import { MoveRefusal } from './move-refusal.ts';
import { isUnfinished } from './unfinished-move.ts';

/**
 * Checks that the target has nothing that a move would meet, except what an earlier move has left there.
 * @returns the number of documents in each collection that exists in the target
 * @throws MoveRefusal. Nothing was changed
 */
export async function checkTarget(move: Move): Promise<Map<string, number>> {
  const { collections, target } = move;
  const existing = await target.collections();
  const present = new Map<string, number>();
  const advance = progressOf(move, 'Check');
  for (const collection of collections) {
    const kind = existing.get(collection.name);
    if (kind === 'collection') {
      await checkIndexes(move, collection);
      present.set(collection.name, await checkDocuments(move, collection, advance));
    } else if (kind !== undefined) {
      throw new MoveRefusal(`${collection.name} is a ${kind} in ${target.name}.`);
    }
  }
  return present;
}

/** Reads only until all documents of the target are found: an interrupted move has stored the first ones. */
async function checkDocuments(
  { target }: Move,
  { name, documents }: StoredCollection,
  advance: (count: number) => void,
): Promise<number> {
  const present = await target.count(name);
  let same = 0;
  for (const batch of present > 0 ? batchesOf(documents()) : []) {
    same += await countSame(target, name, batch);
    advance(batch.length);
    if (same === present) {
      break;
    }
  }
  if (same < present) {
    throw new MoveRefusal(await foreignText(target, name, present - same));
  }
  return present;
}

async function foreignText(target: Move['target'], collection: string, count: number): Promise<string> {
  const documents = count === 1 ? '1 document' : `${count} documents`;
  const found = `${collection} has ${documents} in ${target.name} that the source does not have, or has otherwise.`;
  const reason = (await isUnfinished(target.db))
    ? 'A move into it was interrupted, and the source has changed since.'
    : 'They may be of a gateway that was started on it, or of something else.';
  return `${found} ${reason} Remove them if nobody needs them, or name another database.`;
}

async function checkIndexes({ target }: Move, { name, indexes }: StoredCollection): Promise<void> {
  const there = await target.indexes(name);
  for (const wanted of indexes.map(indexFields)) {
    const namesake = there.find((index) => nameOf(index) === nameOf(wanted));
    if (namesake && !isSameIndex(namesake, wanted)) {
      throw new MoveRefusal(`${name} has another index with the name ${nameOf(wanted)} in ${target.name}.`);
    }
  }
}
