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
 * The files of a folder one by one, so that a large folder takes no memory. Links and folders are not among them.
 * @throws a file system error if the folder cannot be read
 */
export async function* listFiles(folder: string): AsyncGenerator<ListedFile> {
  for await (const entry of await opendir(folder)) {
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
