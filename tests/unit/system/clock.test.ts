import { setImmediate as afterInput, setTimeout as wait } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { systemClock } from '../../../src/system/clock.ts';

/** Blocks this process for a while, as on a suspended machine. */
const standStill = (millis: number) =>
  void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, millis);

test('a call is made once, after its time', async () => {
  const act = jest.fn();
  const begin = performance.now();
  await new Promise<void>((resolve) => {
    systemClock.after(20, () => {
      act();
      resolve();
    });
  });
  expect(performance.now() - begin).toBeGreaterThanOrEqual(19);
  expect(act).toHaveBeenCalledTimes(1);
});

test('a cancelled call is not made', async () => {
  const act = jest.fn();
  const cancel = systemClock.after(0, act);
  cancel();
  cancel();
  await new Promise<void>((resolve) => void systemClock.after(5, resolve));
  expect(act).not.toHaveBeenCalled();
});

test('a call can be cancelled by input that came in time', async () => {
  const act = jest.fn();
  // From here on, the event loop calls timers first, and then these callbacks.
  await afterInput();
  const cancel = systemClock.after(10, act);
  const input = new Promise<void>((resolve) => setImmediate(() => resolve(cancel())));
  standStill(30);
  await input;
  await afterInput();
  await afterInput();
  expect(act).not.toHaveBeenCalled();
});

test('a standstill of the process does not count', async () => {
  const act = jest.fn();
  const cancel = systemClock.after(1_000, act);
  const before = systemClock.elapsed();
  standStill(2_000);
  // Everything that is overdue runs before this.
  await wait(1);
  await afterInput();
  await afterInput();
  expect(systemClock.elapsed() - before).toBeLessThan(1_000);
  expect(act).not.toHaveBeenCalled();
  cancel();
});

test('the time of the process does not go back when a standstill turns out to be one', () => {
  const cancel = systemClock.after(60_000, () => {});
  const readings = Array.from({ length: 12 }, () => {
    standStill(100);
    return systemClock.elapsed();
  });
  cancel();
  expect(readings).toEqual(readings.toSorted((one, another) => one - another));
});
