import { performance } from 'node:perf_hooks';
import { jest } from '@jest/globals';
import { Health, type HealthProbes } from '../../src/http/health/health.ts';
import { createLog } from '../../src/system/log.ts';

const works = async () => {};
const healthOf = (probes: Partial<HealthProbes>) =>
  new Health(
    { database: works, storage: works, hashQueue: works, ...probes },
    new AbortController().signal,
    createLog('silent'),
  );

// By a clock of the test's own: on a machine that stalls, a second may pass at any moment.
beforeEach(() => {
  jest.useFakeTimers();
  jest.spyOn(performance, 'now').mockImplementation(() => Date.now());
});
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});
const pass = async (millis: number) => void (await jest.advanceTimersByTimeAsync(millis));

test('however many ask within a second, each dependency is asked once', async () => {
  const database = jest.fn(works);
  const health = healthOf({ database });
  await Promise.all(Array.from({ length: 1000 }, () => health.readiness()));
  await pass(999);
  await health.readiness();
  expect(database).toHaveBeenCalledTimes(1);
  await pass(1);
  expect((await health.readiness()).isReady).toBe(true);
  expect(database).toHaveBeenCalledTimes(2);
});

test('one that hangs is told within a second, and not asked again before it has answered', async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const storage = jest.fn(() => answered);
  const health = healthOf({ storage });
  for (let second = 0; second < 2; second += 1) {
    const told = jest.fn();
    void health.readiness().then(told);
    await pass(999);
    expect(told).toHaveBeenCalledWith(
      expect.objectContaining({
        isReady: false,
        checks: { storage: 'does not answer in time', database: 'ok', hashQueue: 'ok', process: 'ok' },
      }),
    );
    await pass(1);
  }
  expect(storage).toHaveBeenCalledTimes(1);
  answer();
  await pass(1000);
  expect((await health.readiness()).isReady).toBe(true);
});
