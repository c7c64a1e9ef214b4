import { existsSync } from 'node:fs';
import { link, mkdir, rename, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { flushFile, flushFolder } from '../../base/flush.ts';
import { giveToFolderOwner, PRIVATE_FOLDER } from '../../base/private-files.ts';
import { DATA_FILE } from '../../storage/data-file.ts';
import { claimFolder } from '../../storage/folder-lock.ts';

/**
 * In the data folder, so that a rename can put the file in place. Only the owner of the claim uses it. The name is one that
 * nobody else gives a folder: what is in it is removed, and the path may be that of a folder with other things.
 */
const STAGING_FOLDER = '.embedded-mongo-staging';

/** How a data file is replaced. */
export interface Replacement<T> {
  /** Writes a data file into this empty folder, and closes it. */
  prepare(staging: string): Promise<T>;
  /** True to keep the former data file, in a folder inside the data folder. */
  keepsFormer: boolean;
}

/** The result of a replacement. */
interface Replaced<T> {
  prepared: T;
  /** The folder of the former data file, if it was kept. */
  former: string | undefined;
}

/**
 * Puts another data file into a data folder, in one step: a kill leaves the former or the new one. Nothing has changed if
 * `prepare` fails. The folder itself stays, because it may be a mount point.
 * @throws EmbeddedMongoLockedError if an engine of another process uses the folder
 */
export async function replaceDataFile<T>(path: string, replacement: Replacement<T>): Promise<Replaced<T>> {
  const folder = resolve(path);
  await mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const claim = claimFolder(folder);
  const staging = join(folder, STAGING_FOLDER);
  try {
    // A killed process has left it.
    await rm(staging, { recursive: true, force: true });
    await mkdir(staging, { mode: PRIVATE_FOLDER });
    const prepared = await replacement.prepare(staging);
    await flushFile(join(staging, DATA_FILE));
    const former = replacement.keepsFormer ? await keepFormer(folder) : undefined;
    // It has the readers of the former file.
    await rm(join(folder, 'lock.mdb'), { force: true });
    await rename(join(staging, DATA_FILE), join(folder, DATA_FILE));
    await flushFolder(folder);
    giveToFolderOwner(folder, DATA_FILE);
    if (former) {
      giveToFolderOwner(folder, basename(former));
    }
    return { prepared, former };
  } finally {
    await rm(staging, { recursive: true, force: true });
    await claim.release();
  }
}

/** Gives the former data file a second name, so that at no moment the folder has none: a start would make a new one. */
async function keepFormer(folder: string): Promise<string | undefined> {
  const file = join(folder, DATA_FILE);
  if (!existsSync(file)) {
    return undefined;
  }
  // With milliseconds, because another restore may follow within a second.
  const former = join(folder, `replaced-${new Date().toISOString().replace(/[-:]/g, '')}`);
  await mkdir(former, { mode: PRIVATE_FOLDER });
  // Some file systems have no links.
  await link(file, join(former, DATA_FILE)).catch(() => rename(file, join(former, DATA_FILE)));
  await flushFolder(former);
  return former;
}
