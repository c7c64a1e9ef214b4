import { setTimeout as wait } from 'node:timers/promises';
import { Patience } from '../../src/auth/patience.ts';
import { ServiceUnavailableError } from '../../src/errors.ts';

const PATIENCE_MILLIS = 1_500;

/** Nothing of this process runs meanwhile, as on a machine that stalls. */
const standStill = (millis: number) =>
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis) as unknown;

test('who is not answered is told so when the time is over', async () => {
  const start = performance.now();
  const waiting = new Patience().within(() => new Promise(() => {}));
  await expect(waiting).rejects.toThrow(ServiceUnavailableError);
  expect(performance.now() - start).toBeGreaterThan(PATIENCE_MILLIS - 10);
});

test('what one step has taken is not there for the next', async () => {
  const patience = new Patience();
  await expect(patience.within(() => new Promise(() => {}))).rejects.toThrow(ServiceUnavailableError);
  await expect(patience.within(async () => 'answer')).rejects.toThrow(ServiceUnavailableError);
});

test('a standstill of our own is not taken for a database that does not answer', async () => {
  const steps = async () => {
    for (let step = 0; step < 4; step += 1) await wait(30);
    return 'answer';
  };
  const waiting = new Patience().within(steps);
  standStill(PATIENCE_MILLIS + 500);
  expect(await waiting).toBe('answer');
});
