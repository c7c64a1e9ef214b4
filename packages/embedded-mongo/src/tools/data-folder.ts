import { Catalog } from '../storage/catalog.ts';
import { demandDatabase } from '../storage/data-file.ts';
import { Store } from '../storage/store.ts';
import { removeExpired } from '../ttl.ts';
import { type StoredCollection, storedCollections } from './read.ts';
import { exportAll, type OnProgress } from './transfer/export.ts';
import { type Verification, verifyStore } from './verify.ts';

/** A data folder that no engine uses, open for maintenance. */
export interface DataFolder {
  /** All collections, to read. */
  collections(): StoredCollection[];
  /** Compares all index entries with all documents. */
  verify(): Verification;
  /** Writes all collections as Extended JSON, and all indexes as a mongosh script. Gives the names of the files. */
  exportTo(folder: string, onProgress?: OnProgress): Promise<string[]>;
  /** Removes the documents that the TTL indexes let expire by `now`. Gives their number. */
  removeExpired(now: Date): Promise<number>;
  close(): Promise<void>;
}

/**
 * Opens an existing data folder without an engine. Stop an engine of this process first: the lock only tells processes apart.
 * @throws EmbeddedMongoLockedError if an engine of another process uses it; an Error if there is no database in it
 */
export function openDataFolder(path: string): DataFolder {
  demandDatabase(path);
  const store = Store.open(path);
  const catalog = new Catalog(store);
  return {
    collections: () => storedCollections(catalog),
    verify: () => {
      store.refresh();
      return verifyStore(catalog);
    },
    exportTo: (folder, onProgress = () => {}) => exportAll(catalog, folder, onProgress),
    removeExpired: (now) => removeExpired({ store, catalog }, now),
    close: () => store.close(),
  };
}
