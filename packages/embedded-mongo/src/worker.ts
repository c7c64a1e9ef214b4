import { parentPort, workerData } from 'node:worker_threads';
import { EmbeddedMongoLockedError } from './base/errors.ts';
import { startEngine } from './engine.ts';

/** The parameters of the worker. */
export interface WorkerInput {
  path: string;
  port: number;
}

/** The engine that has the folder already. */
interface Owner {
  path: string;
  ownerPid?: number | undefined;
  ownerPort?: number | undefined;
}

/** The worker's message: it listens, or it could not start. */
export type WorkerMessage =
  | { kind: 'listening'; port: number }
  | { kind: 'failed'; message: string; locked?: Owner };

// After a failed commit (a full disk) lmdb also rejects a promise of its own, which no other code can catch.
process.on('unhandledRejection', (reason) => {
  if (!(reason instanceof Error && 'commitError' in reason)) {
    throw reason;
  }
});

const port = parentPort;
if (port) {
  const send = (message: WorkerMessage) => port.postMessage(message);
  try {
    const engine = await startEngine(workerData as WorkerInput);
    // The only message is "stop".
    port.once('message', () => void engine.stop().then(() => port.close()));
    send({ kind: 'listening', port: engine.port });
  } catch (error) {
    const locked =
      error instanceof EmbeddedMongoLockedError
        ? { path: error.path, ownerPid: error.ownerPid, ownerPort: error.ownerPort }
        : undefined;
    send({ kind: 'failed', message: (error as Error).message, ...(locked && { locked }) });
    port.close();
  }
}
