import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../system/system-errors.ts';

/** A file of a folder. */
interface ListedFile {
  name: string;
  modifiedAt: Date;
  sizeBytes: number;
}

/**
 * The files of a folder one by one, so that a large folder takes no memory. Links are not among them.
 * @param isDeep true: also the files of folders in it, with their paths as names
 * @throws a file system error if the folder cannot be read
 */
export async function* listFiles(folder: string, isDeep = false): AsyncGenerator<ListedFile> {
  for await (const entry of await opendir(folder)) {
    if (isDeep && entry.isDirectory()) {
      yield* filesBelow(folder, entry.name);
    }
    if (!entry.isFile()) {
      continue;
    }
    const found = await statOf(path.join(folder, entry.name));
    if (found) {
      yield { name: entry.name, modifiedAt: found.mtime, sizeBytes: found.size };
    }
  }
}

/** The files of a folder in another one. A removal may take it away while it is listed, because it has become empty. */
async function* filesBelow(folder: string, inner: string): AsyncGenerator<ListedFile> {
  try {
    for await (const { name, ...file } of listFiles(path.join(folder, inner), true)) {
      yield { name: `${inner}/${name}`, ...file };
    }
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') {
      throw error;
    }
  }
}

/** undefined if the file was removed in the meantime. */
async function statOf(filePath: string): Promise<Stats | undefined> {
  try {
    return await lstat(filePath);
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
