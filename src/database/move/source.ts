import { resolve } from 'node:path';
import { EmbeddedMongoLockedError } from '@auth-gateway/embedded-mongo';
import { type DataFolder, openDataFolder, type StoredCollection } from '@auth-gateway/embedded-mongo/tools';
import { messageOf } from '../../system/system-errors.ts';
import { DEFAULT_DATABASE } from '../connect.ts';
import { MoveRefusal } from './move-refusal.ts';

/** The data that a move copies. */
export interface MoveSource {
  folder: string;
  database: string;
  collections: readonly StoredCollection[];
  /** The other databases of the folder, which stay behind. */
  others: readonly string[];
  close(): Promise<void>;
}

/**
 * Opens a data folder that no gateway uses. Until it is closed, no gateway can use it.
 * @param folder of an embedded database
 * @param wanted the name of the database. By default the only one of the folder, or else `auth_gateway`
 * @throws MoveRefusal if the folder is in use or has no database, or not this one
 */
export async function openSource(folder: string, wanted?: string): Promise<MoveSource> {
  const data = openFolder(resolve(folder));
  const all = data.collections();
  const databases = [...new Set(all.map(({ database }) => database))];
  const database = wanted ?? (databases.length === 1 ? databases[0] : DEFAULT_DATABASE);
  const collections = all.filter((collection) => collection.database === database);
  if (database === undefined || collections.length === 0) {
    await data.close();
    const found = databases.length === 0 ? 'It is empty.' : `It has ${databases.join(', ')}: see --database.`;
    throw new MoveRefusal(`There is no database ${database} in ${folder}. ${found}`);
  }
  const others = databases.filter((name) => name !== database);
  return { folder: resolve(folder), database, collections, others, close: () => data.close() };
}

function openFolder(folder: string): DataFolder {
  try {
    return openDataFolder(folder);
  } catch (error) {
    const isLocked = error instanceof EmbeddedMongoLockedError;
    const text = isLocked
      ? `${error.message} A gateway must not write to it during the move.`
      : messageOf(error);
    throw new MoveRefusal(text, { cause: error });
  }
}
