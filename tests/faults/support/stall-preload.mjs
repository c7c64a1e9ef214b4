/**
 * Loaded before a program: on SIGUSR2 its main thread is blocked for a while, as by a long garbage collection or on a suspended
 * machine.
 */
import { isMainThread } from 'node:worker_threads';

const millis = Number(process.env.TEST_STALL_MILLIS);

if (isMainThread) {
  const nothing = new Int32Array(new SharedArrayBuffer(4));
  process.on('SIGUSR2', () => Atomics.wait(nothing, 0, 0, millis));
}
