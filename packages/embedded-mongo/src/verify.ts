import type { Catalog } from './storage/catalog.ts';
import type { Collection } from './storage/collection.ts';
import type { Index } from './storage/index-spec.ts';
import { type BytesDatabase, scan } from './storage/store.ts';
import { decode } from './values/values.ts';

/** What a check of all documents and index entries found. */
export interface Verification {
  collections: number;
  documents: number;
  entries: number;
  /** One sentence each; empty when everything is consistent. */
  problems: string[];
}

/**
 * Checks that every index entry has its document and every document its entries, no unique key two documents, and
 * that nothing is stored beside the collections of the catalog. Reads everything: minutes for many millions.
 */
export function verifyStore(catalog: Catalog): Verification {
  const result: Verification = { collections: 0, documents: 0, entries: 0, problems: [] };
  const collections = catalog.list();
  for (const collection of collections) {
    result.collections++;
    const expected = verifyDocuments(collection, result);
    for (const [i, index] of collection.indexes.entries()) {
      const found = verifyEntries(collection, index, result);
      if (found !== expected[i]) {
        result.problems.push(`${nameOf(collection, index)}: ${expected[i]} entries expected, ${found} found`);
      }
    }
  }
  const { documents, entries } = catalog.store;
  reportStrangers('documents', documents, new Set(collections.map((each) => each.id)), result);
  const indexIds = collections.flatMap((each) => each.indexes.map((index) => index.spec.id));
  reportStrangers('index entries', entries, new Set(indexIds), result);
  return result;
}

function nameOf(collection: Collection, index: Index): string {
  return `${collection.namespace} index ${index.spec.name}`;
}

/** Every document has its entries; answers how many entries each index must have. */
function verifyDocuments(collection: Collection, result: Verification): number[] {
  const expected = collection.indexes.map(() => 0);
  for (const { record, raw } of collection.scanDocuments()) {
    result.documents++;
    const document = decode(raw);
    for (const [i, index] of collection.indexes.entries()) {
      const { keys, changed } = index.keysOf(document);
      if (changed)
        result.problems.push(`${nameOf(collection, index)}: record ${record} needs a mark it does not have`);
      for (const { key } of keys) {
        expected[i] = (expected[i] ?? 0) + 1;
        if (collection.hasEntry(index, key, record)) continue;
        result.problems.push(
          `${nameOf(collection, index)}: record ${record} has no entry for its key, or another's`,
        );
      }
    }
  }
  return expected;
}

/** Every entry has its document; answers how many entries there are. */
function verifyEntries(collection: Collection, index: Index, result: Verification): number {
  let found = 0;
  for (const record of collection.scanIndex(index, { start: Buffer.alloc(0) })) {
    found++;
    result.entries++;
    if (!collection.read(record)) {
      result.problems.push(
        `${nameOf(collection, index)}: an entry points to record ${record}, which does not exist`,
      );
    }
  }
  return found;
}

function reportStrangers(
  what: string,
  database: BytesDatabase,
  known: ReadonlySet<number>,
  result: Verification,
): void {
  let id = 0;
  for (;;) {
    const start = Buffer.alloc(4);
    start.writeUInt32BE(id);
    const [first] = scan(database, { start });
    if (!first) return;
    const found = first.key.readUInt32BE(0);
    if (!known.has(found)) result.problems.push(`${what} under the id ${found}, which no collection has`);
    if (found === 0xffffffff) return;
    id = found + 1;
  }
}
