import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { PRIVATE_FOLDER, replacing } from '../base/private-files.ts';
import { copyDataFile, countDocuments, DATA_FILE, demandDatabase } from '../storage/data-file.ts';
import { digestOf } from './digest.ts';
import { type BackupManifest, MANIFEST_FILE, manifestOf } from './manifest.ts';

/** In the names of folders that are not complete: `<folder>.partial-<process id>`, beside the folder that it becomes. */
export const PARTIAL_MARK = '.partial-';

/**
 * Writes a backup of a data folder, which an engine of this or another process may use: a folder with the data file as it is
 * after one commit, and a manifest. It has everything that was acknowledged before the call. Writes go on meanwhile.
 *
 * The backup appears under its name only when it is complete and on disk. A killed process leaves `<folder>.partial-<pid>`.
 * @param folder must not exist or be empty. Only this user can read it
 * @throws an Error if there is no database, the folder has files, or it cannot be written (a full disk); nothing is left then
 */
export async function backupDataFolder(path: string, folder: string): Promise<BackupManifest> {
  const target = resolve(folder);
  demandDatabase(path);
  await demandFree(target);
  const partial = join(dirname(target), `${basename(target)}${PARTIAL_MARK}${process.pid}`);
  await mkdir(dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
  await mkdir(partial, { mode: PRIVATE_FOLDER });
  try {
    const manifest = await fill(path, partial);
    await rename(partial, target);
    await flush(dirname(target));
    return manifest;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

async function demandFree(target: string): Promise<void> {
  const names = await readdir(target).catch((error) => {
    if (error.code === 'ENOENT') {
      return [];
    }
    throw error;
  });
  if (names.length > 0) {
    throw new Error(`${target} is not empty. Name a folder that does not exist.`);
  }
}

async function fill(path: string, partial: string): Promise<BackupManifest> {
  const time = new Date().toISOString();
  await copyDataFile(path, partial);
  const file = join(partial, DATA_FILE);
  const collections = await countDocuments(partial);
  const manifest = manifestOf({ time, ...(await digestOf(file)), collections });
  const manifestFile = join(partial, MANIFEST_FILE);
  await writeFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`, replacing(manifestFile));
  for (const written of [file, manifestFile, partial]) {
    await flush(written);
  }
  return manifest;
}

/** Flushes a file, or the names in a folder. */
async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
