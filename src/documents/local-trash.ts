import { lstat, rename, rm, utimes } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder, makePrivateFolder } from '../system/make-folder.ts';
import { unlessMissing } from '../system/system-errors.ts';
import { DOCUMENT_GROUPS, type DocumentTrash, type StoredDocument, TRASH_FOLDER } from './document-store.ts';
import { listFiles } from './list-files.ts';
import { entryOf, removeEmptyFolders } from './local-entry.ts';
import { isStoredPath, LEGACY_FOLDER } from './stored-path.ts';

/** The trash of documents on the local disk: a hidden folder of the store, so that a move is one rename and needs no space. */
export class LocalTrash implements DocumentTrash {
  readonly #folder: string;

  /** @param root the folder of the store */
  constructor(private readonly root: string) {
    this.#folder = path.join(root, TRASH_FOLDER);
  }

  async put(storedPath: string): Promise<void> {
    await makePrivateFolder(this.#folder);
    if (await isFile(this.root, storedPath)) {
      await touchAndMove(path.join(this.root, storedPath), path.join(this.#folder, storedPath));
      await removeEmptyFolders(this.root, storedPath);
    }
  }

  async restore(storedPath: string): Promise<boolean> {
    const target = path.join(this.root, storedPath);
    if ((await lstat(target).catch(unlessMissing)) || !(await isFile(this.#folder, storedPath))) {
      return false;
    }
    const isBack = await touchAndMove(path.join(this.#folder, storedPath), target);
    await removeEmptyFolders(this.#folder, storedPath);
    return isBack;
  }

  async remove(storedPath: string): Promise<void> {
    if (await entryOf(this.#folder, storedPath)) {
      await rm(path.join(this.#folder, storedPath), { force: true });
      await removeEmptyFolders(this.#folder, storedPath);
    }
  }

  async *list(): AsyncGenerator<StoredDocument> {
    for (const group of [...DOCUMENT_GROUPS, LEGACY_FOLDER]) {
      const folder = path.join(this.#folder, group);
      if (!(await lstat(folder).catch(unlessMissing))) {
        continue;
      }
      for await (const { name, modifiedAt, sizeBytes } of listFiles(folder, group === LEGACY_FOLDER)) {
        const storedPath = `${group}/${name}`;
        if (isStoredPath(storedPath)) {
          yield { path: storedPath, storedAt: modifiedAt, sizeBytes };
        }
      }
    }
  }
}

const isFile = async (root: string, storedPath: string): Promise<boolean> =>
  (await entryOf(root, storedPath))?.isFile() ?? false;

/** The folder of the target may be removed once, because it is empty, before the file is in it. */
const TRIES = 2;

/**
 * Moves a file, which then counts as made now. A rename keeps the time of a file, so that is set first: a file that a kill
 * leaves between the two steps looks new in its old place, and not old in its new one. Removals take empty folders away, so the
 * target's is made.
 * @returns false if it does not exist
 */
async function touchAndMove(source: string, target: string): Promise<boolean> {
  // The time of the machine, as all files have it.
  const now = new Date();
  const move = async () => {
    await utimes(source, now, now);
    await makeFolder(path.dirname(target), 0o700);
    await rename(source, target);
    return true;
  };
  for (let tries = 1; tries <= TRIES; tries += 1) {
    if (await move().catch(unlessMissing)) {
      return true;
    }
  }
  return false;
}
