import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { open, type RootDatabase } from 'lmdb';
import { giveToFolderOwner, keepToOwner } from '../base/private-files.ts';
import { decode } from '../values/bson-codec.ts';
import { type BytesDatabase, countKeys, idRange } from './scan.ts';
import { checkFormat } from './store.ts';

/** The LMDB file in a data folder. */
export const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';

/** @throws if there is no database in the folder */
export function demandDatabase(folder: string): void {
  if (!existsSync(join(folder, DATA_FILE))) {
    throw new Error(`There is no embedded database in ${folder}.`);
  }
}

/**
 * Copies the data file as it is after one commit, while an engine of this or another process may write to it. A reader of
 * LMDB needs no claim on the folder.
 * @param target an existing folder without a database
 */
export async function copyDataFile(folder: string, target: string): Promise<void> {
  const root = openForReading(folder);
  try {
    // Not as it lies on the disk: LMDB would let no writer in until the end. The compact copy also has no free pages.
    await root.backup(target, true);
    keepToOwner(join(target, DATA_FILE));
  } finally {
    await root.close();
  }
}

/** A collection and the number of its documents. */
export interface CollectionCount {
  /** `<database>.<collection>` */
  namespace: string;
  documents: number;
}

/** The number of the documents of all collections. */
export const sumOf = (collections: readonly Pick<CollectionCount, 'documents'>[]): number =>
  collections.reduce((sum, { documents }) => sum + documents, 0);

/**
 * Counts the documents of a data folder that nobody writes to.
 * @throws if its format is of another version
 */
export async function countDocuments(folder: string): Promise<CollectionCount[]> {
  const root = openForReading(folder);
  try {
    const catalog = root.openDB<Buffer, string>('catalog', { encoding: 'binary' });
    checkFormat(folder, catalog.get('format')?.toString());
    const documents: BytesDatabase = root.openDB('documents', { encoding: 'binary', keyEncoding: 'binary' });
    const collections = catalog.getRange({ start: 'collection:', end: 'collection;' });
    return [...collections].map(({ key, value }) => ({
      namespace: key.slice('collection:'.length),
      documents: countKeys(documents, idRange(decode(value).id)),
    }));
  } finally {
    await root.close();
    rmSync(join(folder, LOCK_FILE), { force: true });
  }
}

function openForReading(folder: string): RootDatabase<Buffer, Buffer> {
  demandDatabase(folder);
  const options = { noSubdir: false, readOnly: true, encoding: 'binary', keyEncoding: 'binary' } as const;
  const root = open<Buffer, Buffer>({ path: folder, ...options });
  // It is made for the first reader.
  if (existsSync(join(folder, LOCK_FILE))) {
    keepToOwner(join(folder, LOCK_FILE));
    giveToFolderOwner(folder, LOCK_FILE);
  }
  return root;
}
