import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { demand, mongoError } from '../base/errors.ts';
import { giveToFolderOwner, keepToOwner, PRIVATE_FOLDER, replacing } from '../base/private-files.ts';
import { demandSound } from './damaged-files.ts';
import { DiskSpace } from './disk-space.ts';
import { claimFolder, type FolderClaim } from './folder-lock.ts';
import { type BytesDatabase, idRange, scan } from './scan.ts';
import { Turns } from './turns.ts';

/** Changes whenever stored bytes change their meaning. A folder of another version is refused. */
const FORMAT_VERSION = 1;
const MEMORY_PATH = ':memory:';

const { ENOSPC, EDQUOT, EFBIG, EIO } = constants.errno;
/** LMDB's errors for a full disk, a used-up quota and a limit on files. It reports an incomplete write as EIO. */
const NO_SPACE_CODES: number[] = [ENOSPC, EDQUOT, EFBIG, EIO];
/** More than LMDB writes when it opens a folder that has a database. */
const OPENING_BYTES = 64 * 1024;

/**
 * The LMDB file: documents by collection and record number, index entries by index and key, and the catalog. The writes of
 * many commands share one LMDB transaction. It contains all writes of a `write`, or none.
 */
export class Store {
  /** Called after a failed commit. An object with a copy of stored data sets it, and reads the data again. */
  onCommitFailed: () => void = () => {};
  /** Collection id (4 bytes), record number (6 bytes) -> document. */
  readonly documents: BytesDatabase;
  /** Index id (4 bytes), key, record number unless the index is unique -> record number. */
  readonly entries: BytesDatabase;
  /** Name -> BSON description of a collection. */
  readonly catalog: Database<Buffer, string>;
  /** For commands with many writes. */
  readonly batches = new Turns();
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #space: DiskSpace;
  /** Rejects the promises of `flushed` that still wait. */
  readonly #rejectFlushes = new Set<(reason: Error) => void>();
  #isClosing = false;

  private constructor(
    root: RootDatabase<Buffer, Buffer>,
    readonly folder: string,
    /** The claim on the folder; undefined for a temporary one. */
    readonly lock: FolderClaim | undefined,
  ) {
    const bytes = { encoding: 'binary', keyEncoding: 'binary' } as const;
    this.documents = root.openDB<Buffer, Buffer>('documents', bytes);
    this.entries = root.openDB<Buffer, Buffer>('entries', bytes);
    this.catalog = root.openDB<Buffer, string>('catalog', { encoding: 'binary' });
    this.#root = root;
    this.#space = new DiskSpace(join(folder, 'data.mdb'), () => usedBytes(root));
  }

  /**
   * Opens a data folder. ':memory:' is a temporary file without flushes to disk.
   * @throws EmbeddedMongoLockedError, or an error that names the folder if its format is of another version, its disk is full or a file
   * damaged
   */
  static open(path: string): Store {
    try {
      return Store.#open(path);
    } catch (error) {
      throw isFull(error)
        ? new Error(`The disk of ${path} is full, and opening its database needs some room.`)
        : error;
    }
  }

  static #open(path: string): Store {
    const inMemory = path === MEMORY_PATH;
    const folder = inMemory ? mkdtempSync(join(tmpdir(), 'embedded-mongo-')) : path;
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    keepToOwner(folder);
    demandSpace(folder);
    const lock = inMemory ? undefined : claimFolder(folder);
    try {
      // Only now: no other engine writes to them.
      demandSound(folder, 'Restore a backup.');
    } catch (error) {
      void lock?.release();
      throw error;
    }
    const root = open<Buffer, Buffer>({
      path: folder,
      // Without it lmdb takes a path with a dot in its last part for a file.
      noSubdir: false,
      encoding: 'binary',
      keyEncoding: 'binary',
      noSync: inMemory,
    });
    // LMDB makes them readable for all users.
    for (const file of ['data.mdb', 'lock.mdb']) {
      keepToOwner(join(folder, file));
      giveToFolderOwner(folder, file);
    }
    const store = new Store(root, folder, lock);
    store.#checkFormat();
    // Open files need no name. Without one they go with the process, even if it is killed. Windows keeps names.
    if (inMemory && process.platform !== 'win32') {
      rmSync(folder, { recursive: true });
    }
    return store;
  }

  #checkFormat(): void {
    const recorded = this.catalog.get('format')?.toString();
    if (recorded === undefined) {
      this.catalog.putSync('format', Buffer.from(String(FORMAT_VERSION)));
    } else {
      checkFormat(this.folder, recorded);
    }
  }

  /**
   * Runs `work` in the next write transaction, and resolves with its result after the commit. LMDB cannot undo the writes
   * of one command inside a shared transaction, so `work` must check everything before it writes.
   * @throws what `work` throws; CommandError OutOfDiskSpace (14031) if the disk is full, InterruptedAtShutdown (11600)
   * after `close`
   */
  async write<T>(work: () => T): Promise<T> {
    demand(!this.#isClosing, 'InterruptedAtShutdown', 'the database is closing');
    demand(this.#space.take(), 'OutOfDiskSpace', 'the disk is full');
    try {
      return await this.#root.transaction(work);
    } catch (error) {
      const commitError = (error as { commitError?: Promise<never> }).commitError;
      // Without a commitError the error comes from `work`.
      throw commitError ? await this.#commitFailed(commitError) : error;
    } finally {
      this.#space.release();
    }
  }

  /** After a failed commit, memory is ahead of the store. */
  async #commitFailed(commitError: Promise<never>): Promise<Error> {
    const reason: { code: number; message: string } = await commitError.catch((why) => why);
    this.onCommitFailed();
    const noSpace = isFull(reason);
    if (noSpace) {
      this.#space.noteFull();
    }
    const name = noSpace ? 'OutOfDiskSpace' : 'InternalError';
    const failure = mongoError(name, `commit failed: ${reason.message}`);
    // Later, because a command of the commit before may be about to call `flushed`.
    setImmediate(() => this.#abandonFlushes(failure));
    return failure;
  }

  /**
   * Resolves when everything committed so far is on disk.
   * @throws after a failed commit, because then the state of the disk is unknown
   */
  async flushed(): Promise<void> {
    let reject = (_: Error): void => {};
    const abandoned = new Promise<never>((_, fail) => {
      reject = fail;
    });
    this.#rejectFlushes.add(reject);
    await Promise.race([this.#root.flushed, abandoned]).finally(() => this.#rejectFlushes.delete(reject));
  }

  /** lmdb never settles the flush of a commit if the next commit fails. */
  #abandonFlushes(reason: Error): void {
    for (const reject of this.#rejectFlushes) {
      reject(reason);
    }
    this.#rejectFlushes.clear();
  }

  /**
   * Removes the documents and index entries with this id until the deadline. True if none is left. Call it inside `write`
   * only.
   */
  clear(id: number, deadlineMillis: number): boolean {
    for (const database of [this.documents, this.entries]) {
      for (const { key } of scan(database, idRange(id))) {
        if (performance.now() > deadlineMillis) {
          return false;
        }
        database.removeSync(key);
      }
    }
    return true;
  }

  /** False while the disk is full: writes are refused. */
  hasRoom(): boolean {
    return this.#space.canServe();
  }

  /** Lets the next read see everything committed so far. */
  refresh(): void {
    this.#root.resetReadTxn();
  }

  /**
   * Frees the pages that killed readers, such as a backup, held: LMDB does not use a page again that a reader may still
   * need.
   */
  forgetDeadReaders(): void {
    this.#root.readerCheck();
  }

  /** Waits for the writes, flushes, closes the file and gives the folder back. Later writes are refused. */
  async close(): Promise<void> {
    this.#isClosing = true;
    // lmdb waits forever for the flush of a failed commit, unless another commit follows. An empty one needs no space.
    await this.#root.transaction(() => {}).catch(() => {});
    await this.#root.close();
    this.#space.close();
    await this.lock?.release();
    if (!this.lock) {
      rmSync(this.folder, { recursive: true, force: true });
    }
  }
}

/** True for an error of LMDB or of the system about a full disk. */
function isFull(error: unknown): boolean {
  const { code, errno } = error as { code?: unknown; errno?: number };
  return NO_SPACE_CODES.some((each) => each === code || each === -(errno ?? 0));
}

/** Throws on a full disk. LMDB would also write a line of its own to stderr. */
function demandSpace(folder: string): void {
  const file = join(folder, `room-${process.pid}`);
  try {
    writeFileSync(file, Buffer.alloc(OPENING_BYTES), replacing(file));
  } finally {
    rmSync(file, { force: true });
  }
}

/** @throws an error that names the folder if its format is of another version */
export function checkFormat(folder: string, recorded: string | undefined): void {
  if (recorded !== String(FORMAT_VERSION)) {
    const problem = `has format ${recorded}; this version reads format ${FORMAT_VERSION}`;
    throw new Error(`The embedded database in ${folder} ${problem}.`);
  }
}

/** The bytes of the file up to the last page in use. */
function usedBytes(root: RootDatabase<Buffer, Buffer>): number {
  const { lastPageNumber, pageSize } = root.getStats() as { lastPageNumber: number; pageSize: number };
  return (lastPageNumber + 1) * pageSize;
}
