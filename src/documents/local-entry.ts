import type { Stats } from 'node:fs';
import { lstat, realpath, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { unlessMissing } from '../system/system-errors.ts';

/**
 * What has the name of a document below a folder. A profile may name a folder, or a name below a file: neither is a document, and
 * it may have the documents of others in it. A link leads to files of others.
 * @param root of the store or of its trash
 * @returns undefined if there is nothing, if it is a folder, or if a folder of its path is a link
 */
export async function entryOf(root: string, storedPath: string): Promise<Stats | undefined> {
  const realRoot = await realpath(root).catch(unlessMissing);
  if (realRoot === undefined) {
    return undefined;
  }
  const target = path.join(realRoot, storedPath);
  const folder = path.dirname(target);
  const isInStore = (await realpath(folder).catch(unlessMissing)) === folder;
  const entry = isInStore ? await lstat(target).catch(unlessMissing) : undefined;
  return entry?.isDirectory() ? undefined : entry;
}

/** Removes the folder of a document and those above it that are empty: their names may be those of persons. The first one stays. */
export async function removeEmptyFolders(root: string, storedPath: string): Promise<void> {
  const folder = path.dirname(storedPath);
  if (path.dirname(folder) !== '.' && (await rmdir(path.join(root, folder)).then(...YES_OR_NO))) {
    await removeEmptyFolders(root, folder);
  }
}

/** For `then`: true if it was done. */
const YES_OR_NO = [() => true, () => false] as const;
