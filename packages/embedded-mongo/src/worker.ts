import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddedMongoLockedError } from './base/errors.ts';
import { startEngine } from './engine.ts';

/** What the worker is started with. */
export interface WorkerInput {
  path: string;
  port: number;
}

/** Who has the folder already. */
interface Owner {
  path: string;
  ownerPid?: number | undefined;
  ownerPort?: number | undefined;
}

/** What it says: that it listens, or why it cannot. */
export type WorkerMessage =
  | { kind: 'listening'; port: number }
  | { kind: 'failed'; message: string; locked?: Owner };

// When a commit fails (a full disk), lmdb also rejects a promise of its own that nobody can catch.
process.on('unhandledRejection', (reason) => {
  if (!(reason instanceof Error && 'commitError' in reason)) throw reason;
});

const port = parentPort;
if (port) {
  const say = (message: WorkerMessage) => port.postMessage(message);
  try {
    const engine = await startEngine(workerData as WorkerInput);
    // The only message there is: stop.
    port.once('message', () => void engine.stop().then(() => port.close()));
    say({ kind: 'listening', port: engine.port });
  } catch (error) {
    const locked =
      error instanceof EmbeddedMongoLockedError
        ? { path: error.path, ownerPid: error.ownerPid, ownerPort: error.ownerPort }
        : undefined;
    say({ kind: 'failed', message: (error as Error).message, ...(locked && { locked }) });
    port.close();
  }
}
