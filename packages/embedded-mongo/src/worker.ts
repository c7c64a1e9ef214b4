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

/** What the worker is asked: whether its disk has room, or to stop. */
export type WorkerQuestion = 'room' | 'stop';

/** The worker's message: it listens, answers whether its disk has room, or it could not start. */
export type WorkerMessage =
  | { kind: 'listening'; port: number }
  | { kind: 'room'; hasRoom: boolean }
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
    port.on('message', function answer(question: WorkerQuestion) {
      if (question === 'room') {
        send({ kind: 'room', hasRoom: engine.hasRoom() });
      } else {
        port.off('message', answer);
        void engine.stop().then(() => port.close());
      }
    });
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
