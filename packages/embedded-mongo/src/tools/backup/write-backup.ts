import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { flushFile, flushFolder } from '../../base/flush.ts';
import { PRIVATE_FOLDER, replacing } from '../../base/private-files.ts';
import { copyDataFile, countDocuments, DATA_FILE, demandDatabase } from '../../storage/data-file.ts';
import { digestOf } from './digest.ts';
import { type BackupManifest, MANIFEST_FILE, manifestOf } from './manifest.ts';
import { partialFolder } from './partial-folder.ts';

/** Writes a backup in this process. {@link backupDataFolder} has the promises. */
export async function writeBackup(path: string, folder: string): Promise<BackupManifest> {
  const target = resolve(folder);
  demandDatabase(path);
  await demandFree(target);
  const partial = partialFolder(target, process.pid);
  await mkdir(dirname(target), { recursive: true, mode: PRIVATE_FOLDER });
  await mkdir(partial, { mode: PRIVATE_FOLDER });
  try {
    const manifest = await fill(path, partial);
    await rename(partial, target);
    await flushFolder(dirname(target));
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
  await flushFile(file);
  await flushFile(manifestFile);
  await flushFolder(partial);
  return manifest;
}
