import { setTimeout as wait } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Patience } from '../../src/auth/patience.ts';
import { ServiceUnavailableError } from '../../src/errors/errors.ts';

const PATIENCE_MILLIS = 1_500;
const never = () => new Promise<never>(() => {});

/** This process does nothing for a while, as when its machine is suspended. */
const standStill = (millis: number) =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis);

test('what never ends is given up after the time that there is, and what comes then is not begun', async () => {
  const patience = new Patience();
  const startedAt = performance.now();
  await expect(patience.within(never)).rejects.toBeInstanceOf(ServiceUnavailableError);
  expect(performance.now() - startedAt).toBeGreaterThan(PATIENCE_MILLIS - 50);
  const work = jest.fn(async () => {});
  await expect(patience.within(work)).rejects.toBeInstanceOf(ServiceUnavailableError);
  expect(work).not.toHaveBeenCalled();
});

test('several waits have one time', async () => {
  const patience = new Patience();
  const startedAt = performance.now();
  const steps = async () => {
    for (;;) await patience.within(() => wait(200));
  };
  await expect(steps()).rejects.toBeInstanceOf(ServiceUnavailableError);
  expect(performance.now() - startedAt).toBeGreaterThan(PATIENCE_MILLIS - 50);
});

test('what is excepted takes nothing of it', async () => {
  const patience = new Patience();
  await patience.within(() => patience.except(() => wait(PATIENCE_MILLIS + 500)));
  await expect(patience.within(async () => 'done')).resolves.toBe('done');
});

test('nor does a standstill of this process, for a wait or those behind it', async () => {
  const patience = new Patience();
  for (let step = 0; step < 2; step += 1) {
    const answer = patience.within(() => wait(100, 'answer'));
    standStill(PATIENCE_MILLIS + 1_000);
    await expect(answer).resolves.toBe('answer');
  }
});

test('what never ends is given up behind a standstill, too', async () => {
  const patience = new Patience();
  const given = expect(patience.within(never)).rejects.toBeInstanceOf(ServiceUnavailableError);
  standStill(PATIENCE_MILLIS + 1_000);
  await given;
});
