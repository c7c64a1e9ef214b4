import { resolve } from 'node:path';
import { EmbeddedMongoLockedError } from '@auth-gateway/embedded-mongo';
import { type DataFolder, openDataFolder, type StoredCollection } from '@auth-gateway/embedded-mongo/tools';
import { messageOf } from '../../system/system-errors.ts';
import { DEFAULT_DATABASE } from '../connect.ts';
import { idKey } from './exact-document.ts';
import { indexFields, isExpiring, isSameIndex, MoveRefusal, type MoveTarget, nameOf } from './target.ts';
import { isUnfinished, markFinished, markUnfinished } from './unfinished-move.ts';

/**
 * Copies collections into a database that does not have them, or resumes a copy that was interrupted. At its end every
 * document was compared byte for byte, and every index.
 * @throws MoveRefusal if the target has anything else in these collections: nothing was changed. Every other error leaves a
 *   copy that the next move resumes
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

/** A step of a move that goes through the documents of all collections. */
type MoveStep = 'Check' | 'Copy' | 'Compare';

/** The parts of one move. */
interface Move {
  /** The collections of one database of a data folder. */
  collections: readonly StoredCollection[];
  target: MoveTarget;
  /** Called now and then with the number of documents of all collections that a step has done. */
  onProgress(step: MoveStep, done: number, total: number): void;
  /** Ends the move between two batches. */
  signal: AbortSignal;
}

/**
 * Checks that the target has nothing that a move would meet, except what an earlier move has left there.
 * @returns the number of documents in each collection that exists in the target
 * @throws MoveRefusal. Nothing was changed
 */
async function checkTarget(move: Move): Promise<Map<string, number>> {
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

async function foreignText(target: MoveTarget, collection: string, count: number): Promise<string> {
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

/**
 * Copies the documents that the target does not have.
 * @param present the number of documents in each collection that exists in the target
 */
async function copyDocuments(move: Move, present: ReadonlyMap<string, number>): Promise<void> {
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

/** The documents whose `_id` no document of the target has. */
async function missingIn(
  target: MoveTarget,
  collection: string,
  documents: readonly Uint8Array[],
): Promise<Uint8Array[]> {
  const there = new Set((await target.counterparts(collection, documents)).map(idKey));
  return documents.filter((raw) => !there.has(idKey(raw)));
}

/** How many of the documents the target has, byte for byte. */
async function countSame(
  target: MoveTarget,
  collection: string,
  documents: readonly Uint8Array[],
): Promise<number> {
  const byId = new Map(documents.map((raw) => [idKey(raw), raw]));
  const found = await target.counterparts(collection, documents);
  return found.filter((raw) => Buffer.compare(raw, byId.get(idKey(raw)) ?? EMPTY) === 0).length;
}

const EMPTY = Buffer.alloc(0);

/** Limits of one exchange with the target, and so of the memory of a move. A document alone may have 16 MiB. */
const MAX_DOCUMENTS = 1000;
const MAX_BYTES = 4 * 1024 * 1024;

/** Documents in batches for the target. */
function* batchesOf(documents: Iterable<Uint8Array>): Generator<Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for (const raw of documents) {
    if (batch.length === MAX_DOCUMENTS || (batch.length > 0 && bytes + raw.length > MAX_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(raw);
    bytes += raw.length;
  }
  if (batch.length > 0) {
    yield batch;
  }
}

/** Counts the documents that a step has done. Each call throws if the move is to end. */
function progressOf({ collections, onProgress, signal }: Move, step: MoveStep): (count: number) => void {
  const total = collections.reduce((sum, collection) => sum + collection.count(), 0);
  let done = 0;
  return (count) => {
    done += count;
    onProgress(step, done, total);
    signal.throwIfAborted();
  };
}

/** The data that a move copies. */
export interface MoveSource {
  folder: string;
  database: string;
  collections: readonly StoredCollection[];
  /** The other databases of the folder, which stay behind. */
  others: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens a data folder that no gateway uses. Until it is closed, no gateway can use it.
 * @param folder of an embedded database
 * @param wanted the name of the database. By default the only one of the folder, or else `auth_gateway`
 * @throws MoveRefusal if the folder is in use or has no database, or not this one
 */
export async function openSource(folder: string, wanted?: string): Promise<MoveSource> {
  const data = openFolder(resolve(folder));
  const all = data.collections();
  const databases = [...new Set(all.map(({ database }) => database))];
  const database = wanted ?? (databases.length === 1 ? databases[0] : DEFAULT_DATABASE);
  const collections = all.filter((collection) => collection.database === database);
  if (database === undefined || collections.length === 0) {
    await data.close();
    const found = databases.length === 0 ? 'It is empty.' : `It has ${databases.join(', ')}: see --database.`;
    throw new MoveRefusal(`There is no database ${database} in ${folder}. ${found}`);
  }
  const others = databases.filter((name) => name !== database);
  return { folder: resolve(folder), database, collections, others, close: () => data.close() };
}

function openFolder(folder: string): DataFolder {
  try {
    return openDataFolder(folder);
  } catch (error) {
    const isLocked = error instanceof EmbeddedMongoLockedError;
    const text = isLocked
      ? `${error.message} A gateway must not write to it during the move.`
      : messageOf(error);
    throw new MoveRefusal(text, { cause: error });
  }
}
