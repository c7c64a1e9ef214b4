import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  access,
  constants,
  lstat,
  open,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { makeFolder, makePrivateFolder } from '../system/make-folder.ts';
import { systemErrorCode, unlessMissing } from '../system/system-errors.ts';
import { CHUNK_BYTES, DigestedFile, type DocumentDigest } from './document-digest.ts';
import {
  DOCUMENT_GROUPS,
  type DocumentGroup,
  type DocumentSource,
  type DocumentStore,
  type DocumentTrash,
  MAX_STORE_ID_BYTES,
  STORE_ID_NAME,
  type StoredDocument,
  TRASH_FOLDER,
} from './document-store.ts';
import { listFiles } from './list-files.ts';
import { QUARANTINE_FOLDER, type ReceivedFile } from './quarantine.ts';
import {
  isStoredPath,
  LEGACY_FOLDER,
  newStoredPath,
  requireLegacyPath,
  requireStoredPath,
  STORED_PATH,
} from './stored-path.ts';

/** Documents as files below one folder of the local disk. */
export class LocalDocumentStore implements DocumentStore {
  readonly trash: LocalTrash;
  readonly #root: string;
  /** Folders whose names survive a loss of power. */
  readonly #flushedFolders = new Set<string>();

  /** @param root the folder; the quarantine must be on the same file system */
  constructor(root: string) {
    this.#root = path.resolve(root);
    this.trash = new LocalTrash(this.#root);
  }

  async prepare(): Promise<void> {
    for (const group of DOCUMENT_GROUPS) {
      const folder = path.join(this.#root, group);
      // A user who can list the folder learns the names, which are the secret part of the URLs. An existing folder keeps its
      // mode: an operator may share it with a legacy service.
      await makeFolder(folder, 0o700);
      await access(folder, constants.W_OK);
    }
  }

  async keep(group: DocumentGroup, file: ReceivedFile): Promise<string> {
    const storedPath = newStoredPath(group, file.extension);
    const target = path.join(this.#root, storedPath);
    await rename(file.path, target);
    await flushFolder(path.dirname(target));
    return storedPath;
  }

  async place(storedPath: string, sourcePath: string): Promise<DocumentDigest> {
    requireLegacyPath(storedPath);
    const source = new DigestedFile(sourcePath);
    await this.#write(path.join(this.#root, storedPath), source);
    return source.digest();
  }

  async open(storedPath: string): Promise<Readable | undefined> {
    if (!(await this.read(storedPath))) {
      return undefined;
    }
    const handle = await open(path.join(this.#root, storedPath)).catch(unlessMissing);
    return handle?.createReadStream({ highWaterMark: CHUNK_BYTES });
  }

  async remove(storedPath: string): Promise<void> {
    requireStoredPath(storedPath);
    if (await entryOf(this.#root, storedPath)) {
      await rm(path.join(this.#root, storedPath), { force: true });
      await removeEmptyFolders(this.#root, storedPath);
    }
    await this.trash.remove(storedPath);
  }

  async readId(): Promise<string | undefined> {
    const id = await readFile(path.join(this.#root, STORE_ID_NAME), 'utf8').catch(unlessMissing);
    return id?.slice(0, MAX_STORE_ID_BYTES).trim();
  }

  writeId(id: string): Promise<void> {
    return this.#write(path.join(this.#root, STORE_ID_NAME), `${id}\n`);
  }

  async read(storedPath: string): Promise<DocumentSource | undefined> {
    requireStoredPath(storedPath);
    const root = await realpath(this.#root);
    const target = path.join(root, storedPath);
    const found = await realpath(target).catch(unlessMissing);
    // We never make links, so the target of a link is not a document.
    if (found !== target) {
      return undefined;
    }
    // A pipe, a socket or a device is not a document either, and opening it may never return.
    const entry = await lstat(target).catch(unlessMissing);
    return entry?.isFile() ? { kind: 'file', root } : undefined;
  }

  async close(): Promise<void> {}

  /** Writes a file completely or not at all. When the promise resolves, it survives a loss of power. */
  async #write(target: string, content: DigestedFile | string): Promise<void> {
    // The sweep removes the copy from quarantine if the process is killed meanwhile.
    const quarantine = path.join(this.#root, QUARANTINE_FOLDER);
    await makePrivateFolder(quarantine);
    const copy = path.join(quarantine, randomUUID());
    try {
      await writeFile(copy, content, { flag: 'wx', mode: 0o600, flush: true });
      await this.#moveTo(target, copy);
    } catch (error) {
      await rm(copy, { force: true });
      throw error;
    }
    await flushFolder(path.dirname(target));
  }

  async #moveTo(target: string, source: string): Promise<void> {
    const folder = path.dirname(target);
    await this.#makeFolder(folder);
    try {
      await rename(source, target);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOENT') {
        throw error;
      }
      // An erasure has just removed the empty folder.
      await this.#makeFolder(folder);
      await rename(source, target);
    }
  }

  /** Makes a folder and those above it. Their names survive a loss of power. */
  async #makeFolder(folder: string): Promise<void> {
    const isFlushed = this.#flushedFolders.has(folder) && (await lstat(folder).catch(unlessMissing));
    if (isFlushed || folder === this.#root) {
      return;
    }
    await makeFolder(folder, 0o700);
    await this.#makeFolder(path.dirname(folder));
    await flushFolder(path.dirname(folder));
    this.#flushedFolders.add(folder);
  }

  async *list(group: DocumentGroup): AsyncGenerator<StoredDocument> {
    for await (const { name, modifiedAt, sizeBytes } of listFiles(path.join(this.#root, group))) {
      const storedPath = `${group}/${name}`;
      if (STORED_PATH.test(storedPath)) {
        yield { path: storedPath, storedAt: modifiedAt, sizeBytes };
      }
    }
  }
}

/** Flushes a folder after a rename: the new name is an entry of the folder, which needs its own flush (fsync(2)). */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

/** The trash of documents on the local disk: a hidden folder of the store, so that a move is one rename and needs no space. */
class LocalTrash implements DocumentTrash {
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

/**
 * What has the name of a document below a folder. A profile may name a folder, or a name below a file: neither is a document, and
 * it may have the documents of others in it. A link leads to files of others.
 * @param root of the store or of its trash
 * @returns undefined if there is nothing, if it is a folder, or if a folder of its path is a link
 */
async function entryOf(root: string, storedPath: string): Promise<Stats | undefined> {
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
async function removeEmptyFolders(root: string, storedPath: string): Promise<void> {
  const folder = path.dirname(storedPath);
  if (path.dirname(folder) !== '.' && (await rmdir(path.join(root, folder)).then(...YES_OR_NO))) {
    await removeEmptyFolders(root, folder);
  }
}

/** For `then`: true if it was done. */
const YES_OR_NO = [() => true, () => false] as const;
