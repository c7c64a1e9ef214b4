import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { decode } from '../values/bson-codec.ts';
import { display } from '../values/display.ts';
import { Index, type IndexKey, type IndexSpec } from './index-spec.ts';
import { idBytes, idRange, RECORD_BYTES, recordBytes } from './record-keys.ts';
import { countKeys, type KeyRange, scan } from './scan.ts';
import type { Store } from './store.ts';

/** A stored document. Record numbers give the natural order. */
export interface StoredDocument {
  record: number;
  raw: Buffer;
}

/** The documents and indexes of one collection. Its methods that write must run inside Store.write. */
export class Collection {
  readonly indexes: Index[];
  readonly #store: Store;
  readonly #onSpecChange: (collection: Collection) => void;
  #nextRecord: number;

  /** @param onSpecChange called when the spec of an index has changed, so that the catalog saves it */
  constructor(
    store: Store,
    readonly namespace: string,
    readonly id: number,
    indexes: readonly IndexSpec[],
    readonly options: Document,
    onSpecChange: (collection: Collection) => void,
  ) {
    this.#store = store;
    this.#onSpecChange = onSpecChange;
    this.indexes = indexes.map((spec) => new Index(spec));
    const [last] = scan(store.documents, this.#documentRange(), true);
    this.#nextRecord = last ? last.key.readUIntBE(4, RECORD_BYTES) + 1 : 1;
  }

  get database(): string {
    return this.namespace.slice(0, this.namespace.indexOf('.'));
  }

  get name(): string {
    return this.namespace.slice(this.namespace.indexOf('.') + 1);
  }

  /** Stores a new document. Throws DuplicateKey (11000) before it writes anything. */
  insert(document: Document, raw: Buffer): void {
    const additions = this.indexes.map((index) => this.#checkedKeys(index, document));
    const record = this.#nextRecord++;
    this.#store.documents.putSync(this.#documentKey(record), raw);
    for (const [i, index] of this.indexes.entries()) {
      for (const { key } of additions[i] as IndexKey[]) {
        this.#putEntry(index, key, record);
      }
    }
  }

  /** Stores the next version of a document. Throws DuplicateKey (11000) before it writes anything. */
  replace(record: number, before: Document, after: Document, raw: Buffer): void {
    const changes = this.indexes.map((index) => {
      const old = new Map(this.#keysOf(index, before).map((each) => [each.key.toString('latin1'), each]));
      const added = this.#checkedKeys(index, after, record).filter(
        ({ key }) => !old.delete(key.toString('latin1')),
      );
      return { index, added, removed: [...old.values()] };
    });
    this.#store.documents.putSync(this.#documentKey(record), raw);
    for (const { index, added, removed } of changes) {
      for (const { key } of removed) {
        this.#store.entries.removeSync(this.#entryKey(index, key, record));
      }
      for (const { key } of added) {
        this.#putEntry(index, key, record);
      }
    }
  }

  /** Removes a document with its index entries. */
  remove(record: number, document: Document): void {
    this.#store.documents.removeSync(this.#documentKey(record));
    for (const index of this.indexes) {
      for (const { key } of this.#keysOf(index, document)) {
        this.#store.entries.removeSync(this.#entryKey(index, key, record));
      }
    }
  }

  /**
   * Adds an index and fills it from the documents. Throws DuplicateKey and leaves nothing if they violate it.
   * The caller sets the index's `isCommitted` after the commit.
   */
  addIndex(spec: IndexSpec): Index {
    const index = new Index(spec);
    index.isCommitted = false;
    try {
      for (const { record, raw } of this.scanDocuments()) {
        for (const { key } of this.#checkedKeys(index, decode(raw), record)) {
          this.#putEntry(index, key, record);
        }
      }
    } catch (error) {
      this.#clearRange(idRange(spec.id));
      throw error;
    }
    this.indexes.push(index);
    this.#onSpecChange(this);
    return index;
  }

  /** Replaces the options of an index that do not concern its entries (TTL, hidden). */
  changeOptions(index: Index, options: Document): void {
    index.spec.options = options;
    this.#onSpecChange(this);
  }

  /** Removes an index with its entries. */
  dropIndex(index: Index): void {
    this.#clearRange(idRange(index.spec.id));
    this.indexes.splice(this.indexes.indexOf(index), 1);
    this.#onSpecChange(this);
  }

  /** Removes all documents and index entries. */
  clear(): void {
    for (const index of this.indexes) {
      this.#clearRange(idRange(index.spec.id));
    }
    for (const { key } of scan(this.#store.documents, this.#documentRange())) {
      this.#store.documents.removeSync(key);
    }
  }

  /** A document by its record number. */
  read(record: number): Buffer | undefined {
    return this.#store.documents.get(this.#documentKey(record));
  }

  /** All documents in natural order. */
  *scanDocuments(reverse = false): Generator<StoredDocument> {
    for (const { key, value } of scan(this.#store.documents, this.#documentRange(), reverse)) {
      yield { record: key.readUIntBE(4, RECORD_BYTES), raw: value };
    }
  }

  /** The record numbers in a range of an index, in its order. The range does not contain the index's id. */
  *scanIndex(index: Index, range: KeyRange, reverse = false): Generator<number> {
    const { start, end } = idRange(index.spec.id);
    const absolute = {
      start: Buffer.concat([start, range.start]),
      end: range.end ? Buffer.concat([start, range.end]) : end,
    };
    for (const { value } of scan(this.#store.entries, absolute, reverse)) {
      yield value.readUIntBE(0, RECORD_BYTES);
    }
  }

  /** True if an index has this key and it points to this record. */
  hasEntry(index: Index, key: Buffer, record: number): boolean {
    return (
      this.#store.entries.get(this.#entryKey(index, key, record))?.readUIntBE(0, RECORD_BYTES) === record
    );
  }

  /** The number of documents. */
  count(): number {
    return countKeys(this.#store.documents, this.#documentRange());
  }

  #keysOf(index: Index, document: Document): IndexKey[] {
    const { keys, changed } = index.keysOf(document);
    if (changed) {
      this.#onSpecChange(this);
    }
    return keys;
  }

  /** The keys of a document. Throws if another record has one of them in a unique index. */
  #checkedKeys(index: Index, document: Document, record?: number): IndexKey[] {
    const keys = this.#keysOf(index, document);
    if (!index.spec.unique) {
      return keys;
    }
    for (const { key, values } of keys) {
      const owner = this.#store.entries.get(this.#entryKey(index, key, 0));
      if (owner && owner.readUIntBE(0, RECORD_BYTES) !== record) {
        throw this.#duplicateKey(index, values);
      }
    }
    return keys;
  }

  #duplicateKey(index: Index, values: readonly unknown[]): Error {
    const keyValue = Object.fromEntries(index.fields.map((field, i) => [field, shown(values[i])]));
    const message = `E11000 duplicate key error collection: ${this.namespace} index: ${index.spec.name} dup key: ${display(keyValue)}`;
    return mongoError('DuplicateKey', message, { keyPattern: index.spec.key, keyValue });
  }

  #putEntry(index: Index, key: Buffer, record: number): void {
    this.#store.entries.putSync(this.#entryKey(index, key, record), recordBytes(record));
  }

  #entryKey(index: Index, key: Buffer, record: number): Buffer {
    const id = idBytes(index.spec.id);
    return Buffer.concat(index.spec.unique ? [id, key] : [id, key, recordBytes(record)]);
  }

  #documentKey(record: number): Buffer {
    return Buffer.concat([idBytes(this.id), recordBytes(record)]);
  }

  #documentRange(): KeyRange {
    return idRange(this.id);
  }

  #clearRange(range: KeyRange): void {
    for (const { key } of scan(this.#store.entries, range)) {
      this.#store.entries.removeSync(key);
    }
  }
}

/** A value of a key in an error message. The key of an empty array is no BSON value. */
function shown(value: unknown): unknown {
  return typeof value === 'symbol' ? undefined : (value ?? null);
}
