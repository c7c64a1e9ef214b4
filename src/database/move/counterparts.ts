import { idKey } from './exact-document.ts';
import type { MoveTarget } from './target.ts';

/** The documents whose `_id` no document of the target has. */
export async function missingIn(
  target: MoveTarget,
  collection: string,
  documents: readonly Uint8Array[],
): Promise<Uint8Array[]> {
  const there = new Set((await target.counterparts(collection, documents)).map(idKey));
  return documents.filter((raw) => !there.has(idKey(raw)));
}

/** How many of the documents the target has, byte for byte. */
export async function countSame(
  target: MoveTarget,
  collection: string,
  documents: readonly Uint8Array[],
): Promise<number> {
  const byId = new Map(documents.map((raw) => [idKey(raw), raw]));
  const found = await target.counterparts(collection, documents);
  return found.filter((raw) => Buffer.compare(raw, byId.get(idKey(raw)) ?? EMPTY) === 0).length;
}

const EMPTY = Buffer.alloc(0);
