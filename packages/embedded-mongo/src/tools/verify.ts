import type { Catalog } from '../storage/catalog.ts';
import type { Collection } from '../storage/collection.ts';
import type { Index } from '../storage/index-spec.ts';
import { type BytesDatabase, scan } from '../storage/scan.ts';
import { decode } from '../values/bson-codec.ts';

const MAX_ID = 0xffffffff;

/** The result of a check of all documents and index entries. */
export interface Verification {
  collections: number;
  documents: number;
  entries: number;
  /** One sentence each; empty if everything is consistent. */
  problems: string[];
}

/**
 * Checks that every index entry has its document and every document its entries, that no two documents share a unique key,
 * and that the store holds nothing that is not in the catalog. It reads everything: minutes for many millions.
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
  const leftovers = catalog.leftovers.ids;
  const collectionIds = collections.map((each) => each.id);
  reportUnknown('documents', documents, new Set([...leftovers, ...collectionIds]), result);
  const indexIds = collections.flatMap((each) => each.indexes.map((index) => index.spec.id));
  reportUnknown('index entries', entries, new Set([...leftovers, ...indexIds]), result);
  return result;
}

function nameOf(collection: Collection, index: Index): string {
  return `${collection.namespace} index ${index.spec.name}`;
}

/** Checks that every document has its entries. Gives the number of entries that each index must have. */
function verifyDocuments(collection: Collection, result: Verification): number[] {
  const expected = collection.indexes.map(() => 0);
  for (const { record, raw } of collection.scanDocuments()) {
    result.documents++;
    const document = decode(raw);
    for (const [i, index] of collection.indexes.entries()) {
      const { keys, changed } = index.keysOf(document);
      expected[i] = (expected[i] ?? 0) + keys.length;
      const name = nameOf(collection, index);
      if (changed) {
        result.problems.push(`${name}: record ${record} needs a mark that the index does not have`);
      }
      for (const { key } of keys) {
        if (!collection.hasEntry(index, key, record)) {
          result.problems.push(`${name}: record ${record} has no entry for its key, or another's`);
        }
      }
    }
  }
  return expected;
}

/** Checks that every entry has its document. Gives the number of entries. */
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

/** Reports the ids in a part of the store that the catalog does not know. */
function reportUnknown(
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
    if (!first) {
      return;
    }
    const found = first.key.readUInt32BE(0);
    if (!known.has(found)) {
      result.problems.push(`${what} under the id ${found}, which no collection has`);
    }
    if (found === MAX_ID) {
      return;
    }
    id = found + 1;
  }
}
