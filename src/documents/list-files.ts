import type { Stats } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../system/system-errors.ts';

/** A file of a folder. */
export interface ListedFile {
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
      for await (const { name, ...file } of listFiles(path.join(folder, entry.name), isDeep)) {
        yield { name: `${entry.name}/${name}`, ...file };
      }
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
