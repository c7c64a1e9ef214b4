import type { Document } from 'bson';
import { demand } from '../base/errors.ts';
import { SLICE_MILLIS } from '../base/limits.ts';
import { decode, encode } from '../values/bson-codec.ts';
import { Collection } from './collection.ts';
import { IndexBuild } from './index-build.ts';
import { ID_INDEX_NAME, Index, type IndexSpec } from './index-spec.ts';
import { Leftovers } from './leftovers.ts';
import type { Store } from './store.ts';

/** The collections of all databases. Memory holds them all; the store keeps each under `collection:<database>.<name>`. */
export class Catalog {
  readonly leftovers: Leftovers;
  #collections = new Map<string, Collection>();
  #nextId = 1;
  readonly #builds = new Map<string, Promise<unknown>>();

  constructor(readonly store: Store) {
    this.leftovers = new Leftovers(store);
    this.#load();
    store.onCommitFailed = () => this.#load();
  }

  /** Reads everything from the store, at the start and after a failed commit. */
  #load(): void {
    this.#collections = new Map();
    this.leftovers.kept.clear();
    this.store.refresh();
    for (const { key, value } of this.store.catalog.getRange({ start: 'collection:', end: 'collection;' })) {
      const description = decode(value);
      const namespace = key.slice('collection:'.length);
      this.#add(namespace, description.id, description.indexes, description.options);
    }
    this.#nextId = Math.max(this.#nextId, ...this.leftovers.ids.map((id) => id + 1));
  }

  #add(namespace: string, id: number, indexes: IndexSpec[], options: Document): Collection {
    const save = (changed: Collection) => this.#save(changed);
    const collection = new Collection(this.store, namespace, id, indexes, options, save);
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
    const idIndex = {
      id: this.newId(),
      name: ID_INDEX_NAME,
      key: { _id: 1 },
      unique: true,
      options: {},
    } as const;
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
    const indexes = collection.allIndexes.filter(({ build }) => !build).map(({ spec }) => spec);
    this.store.catalog.putSync(`collection:${collection.namespace}`, encode({ id, indexes, options }));
  }

  /** Removes collections with their documents and indexes. Call it inside Store.write only. */
  drop(collections: readonly Collection[]): void {
    for (const collection of collections) {
      this.store.catalog.removeSync(`collection:${collection.namespace}`);
      this.#collections.delete(collection.namespace);
      collection.isDropped = true;
    }
    const indexes = collections.flatMap(({ allIndexes }) => allIndexes);
    const ids = collections.map(({ id }) => id);
    this.#discard(indexes, ids);
  }

  /** Removes indexes, complete or not, with their entries. Call it inside Store.write only. */
  dropIndexes(collection: Collection, indexes: readonly Index[]): void {
    const dropped = indexes.filter((index) => !index.isDropped);
    collection.allIndexes = collection.allIndexes.filter((index) => !dropped.includes(index));
    this.#save(collection);
    this.#discard(dropped);
  }

  #discard(indexes: readonly Index[], ids: readonly number[] = []): void {
    for (const index of indexes) {
      index.isDropped = true;
    }
    this.leftovers.discard([...ids, ...indexes.map(({ spec }) => spec.id)]);
  }

  /** Adds indexes to a collection. They are empty until `advance` has filled them. */
  startBuild(collection: Collection, specs: readonly Omit<IndexSpec, 'id'>[]): IndexBuild {
    const indexes = specs.map((spec) => new Index({ ...spec, id: this.newId() }));
    collection.allIndexes.push(...indexes);
    return new IndexBuild(collection, indexes);
  }

  /**
   * Fills the indexes of a build a bit more. True if they are complete and saved. The caller sets their `isCommitted` after
   * the commit. Call it inside Store.write only.
   * @throws why the build has failed; IndexBuildAborted (276) if its collection or indexes were dropped. No index is left.
   */
  advance(build: IndexBuild): boolean {
    const { collection, indexes } = build;
    const isCurrent = this.find(collection.namespace) === collection;
    try {
      const isThere = isCurrent && !indexes.some(({ isDropped }) => isDropped);
      demand(isThere, 'IndexBuildAborted', `${collection.namespace} or a new index of it was dropped`);
      const isComplete = build.advance(performance.now() + SLICE_MILLIS);
      for (const { spec } of indexes) {
        this.leftovers[isComplete ? 'unmark' : 'keep'](spec.id);
      }
      if (isComplete) {
        this.#save(collection);
      }
      return isComplete;
    } catch (error) {
      if (isCurrent) {
        this.dropIndexes(collection, indexes);
      }
      throw error;
    }
  }

  /** Runs index builds on one collection one after the other: the next one may find its index there. */
  async afterBuilds<T>(namespace: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#builds.get(namespace) ?? Promise.resolve()).catch(() => {}).then(work);
    this.#builds.set(namespace, mine);
    try {
      return await mine;
    } finally {
      if (this.#builds.get(namespace) === mine) {
        this.#builds.delete(namespace);
      }
    }
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
  const isBad =
    isBadName || isBadDatabase || name.startsWith('system.') || Buffer.byteLength(namespace) > 255;
  demand(!isBad, 'InvalidNamespace', `Invalid namespace specified '${namespace}'`);
}
