import { lstat, opendir } from 'node:fs/promises';
import path from 'node:path';
import { systemErrorCode } from '../system/system-errors.ts';

/** A file of a folder. */
export interface ListedFile {
  name: string;
  modifiedAt: Date;
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
    const modifiedAt = await modificationTime(path.join(folder, entry.name));
    if (modifiedAt) {
      yield { name: entry.name, modifiedAt };
    }
  }
}

/** undefined if the file was removed in the meantime. */
async function modificationTime(filePath: string): Promise<Date | undefined> {
  try {
    return (await lstat(filePath)).mtime;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') {
      return undefined;
    }
    throw error;
  }
}
