import { setTimeout as wait } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Health, type HealthProbes } from '../../src/http/health.ts';
import { createLog } from '../../src/log.ts';

const works = async () => {};
const healthOf = (probes: Partial<HealthProbes>) =>
  new Health(
    { database: works, storage: works, hashQueue: works, ...probes },
    new AbortController().signal,
    createLog('silent'),
  );

test('however many ask within a second, each dependency is asked once', async () => {
  const database = jest.fn(works);
  const health = healthOf({ database });
  await Promise.all(Array.from({ length: 1000 }, () => health.readiness()));
  await health.readiness();
  expect(database).toHaveBeenCalledTimes(1);
  await wait(1050);
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
  const durations: number[] = [];
  for (let second = 0; second < 2; second += 1) {
    const start = performance.now();
    expect(await health.readiness()).toMatchObject({
      isReady: false,
      checks: { storage: 'does not answer in time', database: 'ok' },
    });
    durations.push(performance.now() - start);
    await wait(250);
  }
  // The better of them counts: a wait that is too long shows in both, a busy machine does not.
  expect(Math.min(...durations)).toBeLessThan(1000);
  expect(storage).toHaveBeenCalledTimes(1);
  answer();
  await wait(1050);
  expect((await health.readiness()).isReady).toBe(true);
});
