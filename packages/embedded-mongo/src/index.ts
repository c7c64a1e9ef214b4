import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';

import { EmbeddedMongoLockedError } from './base/errors.ts';
import type { BackupOptions } from './tools/backup/backup-data-folder.ts';
import type { BackupManifest } from './tools/backup/manifest.ts';
import type { WorkerInput, WorkerMessage, WorkerQuestion } from './worker.ts';

export { EmbeddedMongoLockedError } from './base/errors.ts';
export type { BackupManifest } from './tools/backup/manifest.ts';

/** Where the database is. */
export interface EmbeddedMongoOptions {
  /** The folder of the data files; it is created if it does not exist. Without a path the data ends with `stop()`. */
  path?: string;
  /** The loopback port. By default, a free one. */
  port?: number;
}

/** A running database. */
export interface EmbeddedMongo {
  /** The connection string, `mongodb://127.0.0.1:<port>/?directConnection=true`. It names no database. */
  readonly uri: string;
  readonly port: number;
  /**
   * Writes a backup of the running database. `backupDataFolder` in tools/backup has the promises.
   * @param folder must not exist or be empty. Only this user can read it
   * @throws an Error if the database is in memory, the folder has files or cannot be written (a full disk); nothing is left
   * then, and the database keeps running
   */
  backup(folder: string, options?: BackupOptions): Promise<BackupManifest>;
  /** Resolves with false while the disk is full: reads are answered, and writes get OutOfDiskSpace (14031). */
  hasRoom(): Promise<boolean>;
  /** Closes all connections, and resolves when everything acknowledged is on disk. A second call does nothing. */
  stop(): Promise<void>;
}

const MEMORY_PATH = ':memory:';

/** The open folders of this process. The lock on a folder only tells processes apart. */
const openFolders = new Set<string>();

/**
 * Starts a database that MongoDB's drivers can connect to. It runs in a worker thread, so a long query does not block the
 * caller's thread.
 * @throws EmbeddedMongoLockedError if another engine uses the folder; an Error if another process has the port, or if the
 * folder has the format of another version
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions = {}): Promise<EmbeddedMongo> {
  const { path: folder = MEMORY_PATH, port: wantedPort = 0 } = options;
  const path = folder === MEMORY_PATH ? folder : resolve(folder);
  if (openFolders.has(path)) {
    throw new EmbeddedMongoLockedError(path, process.pid);
  }
  const workerData: WorkerInput = { path, port: wantedPort };
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData, name: 'embedded-mongo' });
  if (path !== MEMORY_PATH) {
    openFolders.add(path);
  }
  // The folder is free again only now: a worker that failed may exit after its error.
  const exited = new Promise<void>((resolveExit) => worker.once('exit', () => resolveExit())).then(() => {
    openFolders.delete(path);
  });
  try {
    const port = await listening(worker);
    // Without a listener, an error in the engine would end the whole process. With it, only the database is unreachable.
    worker.on('error', (error) => process.emitWarning(`the embedded database has stopped: ${error}`));
    return {
      uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
      port,
      backup: async (target, backupOptions) => {
        if (path === MEMORY_PATH) {
          throw new Error('A database in memory cannot be backed up.');
        }
        // Only here, because it loads lmdb and bson: the worker has its own, and this thread may never need them.
        const { backupDataFolder } = await import('./tools/backup/backup-data-folder.ts');
        return backupDataFolder(path, target, backupOptions);
      },
      hasRoom: () => Promise.race([askForRoom(worker), exited.then(() => false)]),
      stop: () => {
        worker.postMessage('stop' satisfies WorkerQuestion);
        return exited;
      },
    };
  } catch (error) {
    await exited;
    throw error;
  }
}

/** Resolves with the worker's next answer whether its disk has room. */
function askForRoom(worker: Worker): Promise<boolean> {
  return new Promise((resolveRoom) => {
    worker.on('message', function answer(message: WorkerMessage) {
      if (message.kind === 'room') {
        worker.off('message', answer);
        resolveRoom(message.hasRoom);
      }
    });
    worker.postMessage('room' satisfies WorkerQuestion);
  });
}

/** Resolves with the port of the worker's engine. */
function listening(worker: Worker): Promise<number> {
  return new Promise((resolvePort, reject) => {
    worker.once('error', reject);
    worker.once('message', (message: WorkerMessage) => {
      if (message.kind === 'listening') {
        return resolvePort(message.port);
      }
      if (message.kind === 'room') {
        return;
      }
      const { locked, message: text } = message;
      const error = locked && new EmbeddedMongoLockedError(locked.path, locked.ownerPid, locked.ownerPort);
      reject(error ?? new Error(text));
    });
  });
}
