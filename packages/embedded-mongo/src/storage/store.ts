import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { mongoError } from '../base/errors.ts';
import { keepToOwner, PRIVATE_FOLDER } from '../base/private-files.ts';
import { DiskRoom } from './disk-room.ts';
import { claimFolder } from './folder-lock.ts';

/** Changes whenever stored bytes change their meaning; a folder of another version is refused. */
const FORMAT_VERSION = 1;
const MEMORY_PATH = ':memory:';

const { ENOSPC, EDQUOT, EFBIG, EIO } = constants.errno;
/** What LMDB reports of a full disk, a used-up quota and a limit on files; a write that is cut short it calls EIO. */
const NO_SPACE_CODES = [ENOSPC, EDQUOT, EFBIG, EIO];

export type BytesDatabase = Database<Buffer, Buffer>;

/**
 * The LMDB file: documents by collection and record number, index entries by index and key, and the catalog.
 * Writes of many commands share one LMDB transaction, each command's writes being all in it or none.
 */
export class Store {
  /** Set by whoever keeps a copy of what is stored: called when a commit failed. */
  onCommitFailed: () => void = () => {};
  /** How to tell those who wait for a flush that it will not come. */
  private readonly giveUpFlushes = new Set<(reason: Error) => void>();

  private constructor(
    private readonly root: RootDatabase<Buffer, Buffer>,
    /** collection id (4 bytes), record number (6 bytes) -> document */
    readonly documents: BytesDatabase,
    /** index id (4 bytes), key, record number unless unique -> record number */
    readonly entries: BytesDatabase,
    /** name -> BSON description of a collection */
    readonly catalog: Database<Buffer, string>,
    private readonly room: DiskRoom,
    private readonly release: () => Promise<void>,
    /** Tells processes that find the folder locked on which port the engine listens. */
    readonly announce: (port: number) => void,
  ) {}

  /**
   * Opens the data folder, or with ':memory:' a throw-away file without disk flushes.
   * @throws EmbeddedMongoLockedError, or an error naming the folder when its format is of another version
   */
  static open(path: string): Store {
    const inMemory = path === MEMORY_PATH;
    const folder = inMemory ? mkdtempSync(join(tmpdir(), 'embedded-mongo-')) : path;
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
    keepToOwner(folder);
    const lock = inMemory ? undefined : claimFolder(folder);
    const root = open<Buffer, Buffer>({
      path: folder,
      // Said, because lmdb takes a path whose last part has a dot for a file.
      noSubdir: false,
      encoding: 'binary',
      keyEncoding: 'binary',
      noSync: inMemory,
    });
    // LMDB makes them readable for all users.
    for (const file of ['data.mdb', 'lock.mdb']) keepToOwner(join(folder, file));
    const bytes = { encoding: 'binary', keyEncoding: 'binary' } as const;
    const store = new Store(
      root,
      root.openDB<Buffer, Buffer>('documents', bytes),
      root.openDB<Buffer, Buffer>('entries', bytes),
      root.openDB<Buffer, string>('catalog', { encoding: 'binary' }),
      new DiskRoom(join(folder, 'data.mdb'), () => {
        const { lastPageNumber, pageSize } = root.getStats() as { lastPageNumber: number; pageSize: number };
        return (lastPageNumber + 1) * pageSize;
      }),
      async () => {
        await lock?.release();
        if (inMemory) rmSync(folder, { recursive: true, force: true });
      },
      (port) => lock?.announce(port),
    );
    store.checkFormat(folder);
    // Open files live on without a name, and go with the process even when it is killed (Windows keeps names).
    if (inMemory && process.platform !== 'win32') rmSync(folder, { recursive: true });
    return store;
  }

  private checkFormat(folder: string): void {
    const recorded = this.catalog.get('format')?.toString();
    if (recorded === undefined) this.catalog.putSync('format', Buffer.from(String(FORMAT_VERSION)));
    else if (recorded !== String(FORMAT_VERSION)) {
      throw new Error(
        `The embedded database in ${folder} has format ${recorded}; this version reads format ${FORMAT_VERSION}.`,
      );
    }
  }

  /**
   * Runs `work` in the next write transaction and resolves with its result once that is committed.
   * LMDB cannot undo one command's writes inside a shared transaction: `work` must check before it writes.
   */
  async write<T>(work: () => T): Promise<T> {
    if (!this.room.take()) throw mongoError('OutOfDiskSpace', 'the disk is full');
    try {
      return await this.root.transaction(work);
    } catch (error) {
      // What `work` throws is its own affair; a commit that fails undoes what memory already believes.
      const cause = (error as { commitError?: Promise<never> }).commitError;
      if (!cause) throw error;
      const reason: { code: number; message: string } = await cause.catch((why) => why);
      this.onCommitFailed();
      const isFull = NO_SPACE_CODES.includes(reason.code);
      if (isFull) this.room.noteFull();
      const failure = mongoError(
        isFull ? 'OutOfDiskSpace' : 'InternalError',
        `commit failed: ${reason.message}`,
      );
      // Later: whoever was committed just before may still be on the way to wait.
      setImmediate(() => this.abandonFlushes(failure));
      throw failure;
    } finally {
      this.room.release();
    }
  }

  /**
   * Resolves when everything committed so far is on disk.
   * @throws when a commit has failed meanwhile: then that is not known
   */
  async flushed(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.giveUpFlushes.add(reject);
      const settle = (act: () => void) => {
        this.giveUpFlushes.delete(reject);
        act();
      };
      this.root.flushed.then(
        () => settle(resolve),
        (error) => settle(() => reject(error)),
      );
    });
  }

  /** lmdb forgets those who wait for the flush of a commit when one right behind it fails. */
  private abandonFlushes(reason: Error): void {
    for (const giveUp of this.giveUpFlushes) giveUp(reason);
    this.giveUpFlushes.clear();
  }

  /** Makes the next read see everything committed so far. */
  refresh(): void {
    this.root.resetReadTxn();
  }

  async close(): Promise<void> {
    // What could not be flushed was not acknowledged either.
    await this.flushed().catch(() => {});
    await this.root.close();
    this.room.close();
    await this.release();
  }
}

/** A half-open range of keys. */
export interface KeyRange {
  start: Buffer;
  /** Exclusive; absent: to the end. */
  end?: Buffer | undefined;
}

/**
 * The entries of a range, in chunks that grow: a look-up reads few, a scan many, and no read transaction stays open
 * between chunks, where it would keep LMDB from reusing pages.
 */
export function* scan(database: BytesDatabase, range: KeyRange, reverse = false) {
  let limit = 4;
  let { start, end } = range;
  let exclusiveStart = reverse;
  for (;;) {
    const bounds = reverse
      ? { ...(end && { start: end }), end: start, inclusiveEnd: true }
      : { start, ...(end && { end }) };
    const chunk = [...database.getRange({ ...bounds, reverse, limit, exclusiveStart })];
    yield* chunk;
    const last = chunk.at(-1);
    if (!last || chunk.length < limit) return;
    if (reverse) end = last.key;
    else start = last.key;
    exclusiveStart = true;
    limit = Math.min(limit * 4, 256);
  }
}

/** How many keys a range has. */
export function countKeys(database: BytesDatabase, { start, end }: KeyRange): number {
  return database.getKeysCount({ start, ...(end && { end }) });
}
