import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { decode } from '../values/bson-codec.ts';
import { display } from '../values/display.ts';
import { Index, type IndexKey, type IndexSpec } from './index-spec.ts';
import {
  countKeys,
  documentKey,
  entryKey,
  idRange,
  type KeyRange,
  RECORD_BYTES,
  recordBytes,
  scan,
} from './scan.ts';
import type { Store } from './store.ts';

/** A stored document. Record numbers give the natural order. */
export interface StoredDocument {
  record: number;
  raw: Buffer;
}

/** The documents and indexes of one collection. Its methods that write must run inside Store.write. */
export class Collection {
  /** All indexes, those that are being built at the end. */
  allIndexes: Index[];
  isDropped = false;
  /** The number of the next new document. */
  nextRecord: number;
  readonly #store: Store;
  readonly #onSpecChange: (collection: Collection) => void;

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
    this.allIndexes = indexes.map((spec) => new Index(spec));
    const [last] = scan(store.documents, this.#documentRange(), true);
    this.nextRecord = last ? last.key.readUIntBE(4, RECORD_BYTES) + 1 : 1;
  }

  /** The indexes that commands can use. */
  get indexes(): Index[] {
    return this.allIndexes.filter((index) => index.isCommitted);
  }

  get database(): string {
    return this.namespace.slice(0, this.namespace.indexOf('.'));
  }

  get name(): string {
    return this.namespace.slice(this.namespace.indexOf('.') + 1);
  }

  /** Stores a new document. Throws DuplicateKey (11000) before it writes anything. */
  insert(document: Document, raw: Buffer): void {
    const record = this.nextRecord;
    const additions = this.#forIndexes(record, (index) => ({
      index,
      keys: this.#checkedKeys(index, document),
    }));
    this.nextRecord++;
    this.#store.documents.putSync(this.#documentKey(record), raw);
    for (const { index, keys } of additions) {
      this.#putEntries(index, keys, record);
    }
  }

  /** Stores the next version of a document. Throws DuplicateKey (11000) before it writes anything. */
  replace(record: number, before: Document, after: Document, raw: Buffer): void {
    const changes = this.#forIndexes(record, (index) => {
      if (index.keepsKeys(before, after)) {
        return { index, added: [], removed: [] };
      }
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
      this.#putEntries(index, added, record);
    }
  }

  /** Removes a document with its index entries. */
  remove(record: number, document: Document): void {
    this.#store.documents.removeSync(this.#documentKey(record));
    this.#forIndexes(record, (index) => {
      for (const { key } of this.#keysOf(index, document)) {
        this.#store.entries.removeSync(this.#entryKey(index, key, record));
      }
    });
  }

  /** Replaces the options of an index that do not concern its entries (TTL). */
  changeOptions(index: Index, options: Document): void {
    index.spec.options = options;
    this.#onSpecChange(this);
  }

  /** Adds the entries of a stored document to new indexes. Throws DuplicateKey if another document has one of them. */
  addEntries(indexes: readonly Index[], record: number, raw: Buffer): void {
    const document = decode(raw);
    for (const index of indexes) {
      this.#putEntries(index, this.#checkedKeys(index, document, record), record);
    }
  }

  /** A document by its record number. */
  read(record: number): Buffer | undefined {
    return this.#store.documents.get(this.#documentKey(record));
  }

  /**
   * All documents in natural order, from a record number on.
   * @throws CommandError QueryPlanKilled (175) if the collection is dropped meanwhile
   */
  *scanDocuments(reverse = false, first = 0): Generator<StoredDocument> {
    const range = { ...this.#documentRange(), start: this.#documentKey(first) };
    for (const { key, value } of scan(this.#store.documents, range, reverse)) {
      this.#checkExists(this);
      yield { record: key.readUIntBE(4, RECORD_BYTES), raw: value };
    }
    this.#checkExists(this);
  }

  /**
   * The record numbers in a range of an index, in its order. The range does not contain the index's id.
   * @throws CommandError QueryPlanKilled (175) if the index is dropped meanwhile
   */
  *scanIndex(index: Index, range: KeyRange, reverse = false): Generator<number> {
    const { id } = index.spec;
    const start = entryKey(id, range.start);
    if (range.isKey) {
      this.#checkExists(index);
      const value = this.#store.entries.get(start);
      if (value) {
        yield value.readUIntBE(0, RECORD_BYTES);
      }
      return;
    }
    const absolute = { start, end: range.end ? entryKey(id, range.end) : idRange(id).end };
    for (const { value } of scan(this.#store.entries, absolute, reverse)) {
      this.#checkExists(index);
      yield value.readUIntBE(0, RECORD_BYTES);
    }
    this.#checkExists(index);
  }

  #checkExists({ isDropped }: { isDropped: boolean }): void {
    if (isDropped) {
      throw mongoError('QueryPlanKilled', `collection or index dropped: ${this.namespace}`);
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

  /** Calls `act` with each index that has this record. An error in an index that is being built ends only the build. */
  #forIndexes<T>(record: number, act: (index: Index) => T): T[] {
    const results: T[] = [];
    for (const index of this.allIndexes) {
      if (index.build?.leavesOut(record)) {
        continue;
      }
      try {
        results.push(act(index));
      } catch (error) {
        if (!index.build) {
          throw error;
        }
        index.build.failure = error as Error;
      }
    }
    return results;
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

  #putEntries(index: Index, keys: readonly IndexKey[], record: number): void {
    for (const { key } of keys) {
      this.#store.entries.putSync(this.#entryKey(index, key, record), recordBytes(record));
    }
  }

  #entryKey(index: Index, key: Buffer, record: number): Buffer {
    return entryKey(index.spec.id, key, index.spec.unique ? undefined : record);
  }

  #documentKey(record: number): Buffer {
    return documentKey(this.id, record);
  }

  #documentRange(): KeyRange {
    return idRange(this.id);
  }
}

/** A value of a key in an error message. The key of an empty array is no BSON value. */
function shown(value: unknown): unknown {
  return typeof value === 'symbol' ? undefined : (value ?? null);
}
