import type { Catalog } from '../storage/catalog.ts';
import { describeIndex } from '../storage/index-spec.ts';
import { encode } from '../values/bson-codec.ts';

/** A collection of a data folder, to read. */
export interface StoredCollection {
  readonly database: string;
  readonly name: string;
  /** The indexes, except the one on `_id`: each is BSON, in the form of listIndexes. */
  readonly indexes: readonly Uint8Array[];
  /** The number of documents. */
  count(): number;
  /** The stored bytes of each document, in natural order. They are read bit by bit. */
  documents(): Generator<Uint8Array>;
}

/** All collections of all databases, in the order of their names. */
export function storedCollections(catalog: Catalog): StoredCollection[] {
  return catalog.list().map((collection) => ({
    database: collection.database,
    name: collection.name,
    indexes: collection.indexes.slice(1).map(({ spec }) => encode(describeIndex(spec))),
    count: () => collection.count(),
    *documents() {
      for (const { raw } of collection.scanDocuments()) {
        yield raw;
      }
    },
  }));
}
