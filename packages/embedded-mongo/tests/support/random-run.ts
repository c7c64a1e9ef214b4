import { isDeepStrictEqual } from 'node:util';
import { BSON } from 'bson';
import type { Db, Document } from 'mongodb';
import { Chance, type Doc, shown } from './model.ts';
import { randomFrom } from './random.ts';

/** The seed of the random tests. SEED=… repeats a failure or tries something else. */
export const SEED = Number(process.env.SEED ?? 19);

/** A source of its own for each test, so that one test alone repeats what it did among the others. */
export const chanceFor = (test: number): Chance => new Chance(randomFrom(SEED * 1000 + test));

/** A document as its bytes in hexadecimal: two are the same if their types and the order of their fields are. */
export type Bytes = string;

export const bytesOf = (document: Doc): Bytes => hex(BSON.serialize(document));

const hex = (bytes: Uint8Array): Bytes => Buffer.from(bytes).toString('hex');

/** Compares without an assertion's cost. A failure tells the seed, what it is about, and the documents as text. */
export function expectSame(about: () => Document, given: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(given, expected)) {
    const told = { seed: SEED, ...about() };
    expect({ ...told, result: legible(given) }).toEqual({ ...told, result: legible(expected) });
  }
}

/** The bytes stay beside the text: only they have the order of names that are whole numbers. */
function legible(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(legible);
  }
  if (typeof value !== 'string' || !/^[0-9a-f]{10,}$/.test(value)) {
    return value;
  }
  return `${shown(BSON.deserialize(Buffer.from(value, 'hex'), { promoteValues: false }))} ${value}`;
}

/** Replaces a collection by these documents, which keep their order of fields. */
export async function fill(db: Db, name: string, documents: readonly Doc[], indexes: Document[] = []) {
  await db.collection(name).drop();
  await db.command({ insert: name, documents });
  if (indexes.length > 0) {
    const named = indexes.map((key) => ({ key, name: JSON.stringify(key) }));
    await db.command({ createIndexes: name, indexes: named });
  }
}

/** The documents of a cursor with `raw: true`. */
export async function bytesFrom(cursor: { toArray(): Promise<unknown[]> }): Promise<Bytes[]> {
  return ((await cursor.toArray()) as Uint8Array[]).map(hex);
}

/** The stored documents by their `_id`. */
export async function storedById(db: Db, name: string): Promise<Map<number, Bytes>> {
  const stored = (await db.collection(name).find({}, { raw: true }).toArray()) as unknown as Uint8Array[];
  return new Map(stored.map((bytes) => [Number(BSON.deserialize(bytes)._id), hex(bytes)]));
}
