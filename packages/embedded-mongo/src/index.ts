import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { EmbeddedMongoLockedError } from './base/errors.ts';
import type { WorkerMessage } from './worker.ts';

export { EmbeddedMongoLockedError } from './base/errors.ts';

export interface EmbeddedMongoOptions {
  /** Folder of the data files, or ':memory:' for a throw-away database (tests). */
  path: string;
  /** Loopback port; 0 or absent takes a free one. */
  port?: number;
}

export interface EmbeddedMongo {
  /** mongodb://127.0.0.1:<port>/?directConnection=true (no database name in it) */
  readonly uri: string;
  readonly port: number;
  /** Ends the engine once everything acknowledged is on disk; calling it again is harmless. */
  stop(): Promise<void>;
}

/** Folders this process has open: the lock tells processes apart, not the engines inside one. */
const openFolders = new Set<string>();

/**
 * Starts the engine in a worker thread, so that a scan never holds up a request.
 * Rejects with a clear error: EmbeddedMongoLockedError naming the folder, a format of another version, a taken port.
 */
export async function startEmbeddedMongo(options: EmbeddedMongoOptions): Promise<EmbeddedMongo> {
  const path = options.path === ':memory:' ? options.path : resolve(options.path);
  if (openFolders.has(path)) throw new EmbeddedMongoLockedError(path, process.pid);
  const worker = new Worker(new URL('./worker.js', import.meta.url), {
    workerData: { path, port: options.port ?? 0 },
    name: 'embedded-mongo',
  });
  if (path !== ':memory:') openFolders.add(path);
  // Only here does the folder become free again: the exit of a worker that failed may come after its error.
  const exited = new Promise<void>((resolveExit) => worker.once('exit', () => resolveExit())).then(() => {
    openFolders.delete(path);
  });
  try {
    const port = await listening(worker);
    // Without a listener an error in the engine would end the whole process; so it is the database that is away.
    worker.on('error', (error) => process.emitWarning(`the embedded database has stopped: ${error}`));
    return {
      uri: `mongodb://127.0.0.1:${port}/?directConnection=true`,
      port,
      stop: () => stop(worker, exited),
    };
  } catch (error) {
    await exited;
    throw error;
  }
}

function stop(worker: Worker, exited: Promise<void>): Promise<void> {
  worker.postMessage('stop');
  return exited;
}

/** Resolves with the port the worker listens on. */
function listening(worker: Worker): Promise<number> {
  return new Promise((resolvePort, reject) => {
    worker.once('error', reject);
    worker.once('message', (message: WorkerMessage) => {
      if (message.kind === 'listening') return resolvePort(message.port);
      const { locked, message: text } = message;
      if (!locked) return reject(new Error(text));
      reject(new EmbeddedMongoLockedError(locked.path, locked.ownerPid, locked.ownerPort));
    });
  });
}
