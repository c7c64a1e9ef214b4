import { access, constants, lstat, open, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { makeFolder } from '../system/make-folder.ts';
import { systemErrorCode } from '../system/system-errors.ts';
import {
  DOCUMENT_GROUPS,
  type DocumentGroup,
  type DocumentSource,
  type DocumentStore,
  STORED_PATH,
  type StoredDocument,
} from './document-store.ts';
import { extensionOf } from './document-types.ts';
import { listFiles } from './list-files.ts';
import type { ReceivedFile } from './received-file.ts';
import { newStoredPath } from './stored-path.ts';

/** Documents as files below one folder of the local disk. */
export class LocalDocumentStore implements DocumentStore {
  readonly #root: string;

  /** @param root the folder; the quarantine must be on the same file system */
  constructor(root: string) {
    this.#root = root;
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
    const storedPath = newStoredPath(group, extensionOf(file.clientName));
    const target = path.join(this.#root, storedPath);
    await rename(file.path, target);
    await flushFolder(path.dirname(target));
    return storedPath;
  }

  async remove(storedPath: string): Promise<void> {
    await rm(path.join(this.#root, storedPath), { force: true });
  }

  async read(storedPath: string): Promise<DocumentSource | undefined> {
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

  async *list(group: DocumentGroup): AsyncGenerator<StoredDocument> {
    for await (const { name, modifiedAt } of listFiles(path.join(this.#root, group))) {
      const storedPath = `${group}/${name}`;
      if (STORED_PATH.test(storedPath)) {
        yield { path: storedPath, storedAt: modifiedAt };
      }
    }
  }
}

/** Flushes a folder after a rename: the new name is an entry of the folder, which needs its own flush (fsync(2)). */
async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

function unlessMissing(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR', 'ELOOP'].includes(systemErrorCode(error) ?? '')) {
    throw error;
  }
}
