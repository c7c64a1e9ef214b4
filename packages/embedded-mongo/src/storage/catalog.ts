import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { decode, encode } from '../values/bson-codec.ts';
import { Collection } from './collection.ts';
import { ID_INDEX_NAME, type IndexSpec } from './index-spec.ts';
import type { Store } from './store.ts';

/** The collections of all databases. Memory holds them all; the store keeps each under `collection:<database>.<name>`. */
export class Catalog {
  #collections = new Map<string, Collection>();
  #nextId = 1;

  constructor(readonly store: Store) {
    this.#load();
    store.onCommitFailed = () => this.#load();
  }

  /** Reads everything from the store, at the start and after a failed commit. */
  #load(): void {
    this.#collections = new Map();
    this.store.refresh();
    for (const { key, value } of this.store.catalog.getRange({ start: 'collection:', end: 'collection;' })) {
      const description = decode(value);
      const namespace = key.slice('collection:'.length);
      this.#add(namespace, description.id, description.indexes, description.options);
    }
  }

  #add(namespace: string, id: number, indexes: IndexSpec[], options: Document): Collection {
    const collection = new Collection(this.store, namespace, id, indexes, options, (changed) =>
      this.#save(changed),
    );
    for (const used of [id, ...indexes.map((index) => index.id)]) {
      this.#nextId = Math.max(this.#nextId, used + 1);
    }
    this.#collections.set(namespace, collection);
    return collection;
  }

  /** The collection, if it exists. */
  find(namespace: string): Collection | undefined {
    return this.#collections.get(namespace);
  }

  /** The collection. It is created if it does not exist, so call this inside Store.write only. */
  ensure(namespace: string, options: Document = {}): Collection {
    const existing = this.find(namespace);
    if (existing) {
      return existing;
    }
    checkNamespace(namespace);
    const id = this.newId();
    const idIndex: IndexSpec = {
      id: this.newId(),
      name: ID_INDEX_NAME,
      key: { _id: 1 },
      unique: true,
      options: {},
    };
    const collection = this.#add(namespace, id, [idIndex], options);
    this.#save(collection);
    return collection;
  }

  /** An id that no collection and no index has had since the start. */
  newId(): number {
    return this.#nextId++;
  }

  #save(collection: Collection): void {
    const { id, options } = collection;
    const indexes = collection.indexes.map((index) => index.spec);
    this.store.catalog.putSync(`collection:${collection.namespace}`, encode({ id, indexes, options }));
  }

  /** Removes a collection with its documents and indexes. Call it inside Store.write only. */
  drop(collection: Collection): void {
    collection.clear();
    this.store.catalog.removeSync(`collection:${collection.namespace}`);
    this.#collections.delete(collection.namespace);
  }

  /** The collections of one database, or of all, in the order of their names. */
  list(database?: string): Collection[] {
    const all = [...this.#collections.values()].sort((a, b) => (a.namespace < b.namespace ? -1 : 1));
    return database === undefined ? all : all.filter((each) => each.database === database);
  }
}

/** mongod's rules for names (Naming Restrictions in its manual). */
function checkNamespace(namespace: string): void {
  const dot = namespace.indexOf('.');
  const [database, name] = [namespace.slice(0, dot), namespace.slice(dot + 1)];
  const isBadName = name === '' || name.startsWith('.') || name.endsWith('.') || /[$\0]/.test(name);
  const isBadDatabase = database === '' || database.length > 63 || /[/\\. "$*<>:|?\0]/.test(database);
  if (isBadName || isBadDatabase || name.startsWith('system.') || Buffer.byteLength(namespace) > 255) {
    throw mongoError('InvalidNamespace', `Invalid namespace specified '${namespace}'`);
  }
}
