import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { replacing } from '../../base/private-files.ts';
import { DATA_FILE, sumOf } from '../../storage/data-file.ts';
import { type BackupManifest, readManifest } from '../backup/manifest.ts';
import { openDataFolder } from '../data-folder.ts';
import { replaceDataFile } from './replace-data-file.ts';

const CHUNK_BYTES = 1024 * 1024;

/** How a backup is restored. */
export interface RestoreOptions {
  /** True to replace an existing database. It is kept in a folder inside the data folder. */
  replace?: boolean | undefined;
  signal?: AbortSignal | undefined;
  /** Called before each step. */
  onStep?: ((step: string) => void) | undefined;
}

/** A restored backup. */
export interface Restored {
  manifest: BackupManifest;
  /** The folder with the database that was replaced. */
  former: string | undefined;
}

/**
 * Restores a backup of {@link backupDataFolder} into a data folder that no engine uses. The backup stays. The copy is checked
 * (its digest, every index entry, the number of documents) before it is put in place in one step.
 * @throws an Error if the backup is not complete or damaged, or if there is a database already; EmbeddedMongoLockedError if an
 * engine of another process uses the folder. Nothing has changed then
 */
export async function restoreBackup(
  path: string,
  from: string,
  { replace = false, signal, onStep = () => {} }: RestoreOptions = {},
): Promise<Restored> {
  const manifest = readManifest(from);
  const refuseExisting = () => {
    if (!replace && existsSync(join(path, DATA_FILE))) {
      throw new Error(
        `There is a database in ${path} already. With --replace the backup takes its place, and it is kept in a folder beside.`,
      );
    }
  };
  refuseExisting();
  const prepare = async (staging: string) => {
    // Again, now that no other process can make one.
    refuseExisting();
    onStep('Copying');
    await copyChecked(from, staging, manifest, signal);
    onStep('Verifying');
    await verifyCopy(staging, from, manifest);
    signal?.throwIfAborted();
  };
  const { former } = await replaceDataFile(path, { prepare, keepsFormer: true });
  return { manifest, former };
}

async function copyChecked(
  from: string,
  staging: string,
  { bytes, sha256 }: BackupManifest,
  signal: AbortSignal | undefined,
): Promise<void> {
  const hash = createHash('sha256');
  let copied = 0;
  const file = join(staging, DATA_FILE);
  const source = createReadStream(join(from, DATA_FILE), { highWaterMark: CHUNK_BYTES });
  const hashed = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      hash.update(chunk);
      copied += chunk.length;
      yield chunk;
    }
  };
  await pipeline(source, hashed, createWriteStream(file, replacing(file)), { ...(signal && { signal }) });
  if (copied !== bytes || hash.digest('hex') !== sha256) {
    throw new Error(`${join(from, DATA_FILE)} is damaged: it is not the file that ${from} was written with.`);
  }
}

async function verifyCopy(staging: string, from: string, manifest: BackupManifest): Promise<void> {
  const data = openDataFolder(staging);
  try {
    const { problems, documents } = data.verify();
    const expected = sumOf(manifest.collections);
    if (problems.length > 0 || documents !== expected) {
      const found = [...problems.slice(0, 10), `${documents} documents of ${expected}`].join('\n');
      throw new Error(`The database in ${from} is not consistent:\n${found}`);
    }
  } finally {
    await data.close();
  }
}
