import { jest } from '@jest/globals';
import { Health, type HealthProbes } from '../../../src/api/http/health.ts';
import { createLog } from '../../../src/system/log.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const works = async () => {};

function healthOf(probes: Partial<HealthProbes>) {
  const clock = new ManualClock();
  const health = new Health({
    probes: { database: works, storage: works, hashQueue: works, ...probes },
    backupProblem: undefined,
    stopping: new AbortController().signal,
    clock,
    log: createLog('silent'),
  });
  return { clock, health };
}

test('a thousand requests within a second check each dependency once', async () => {
  const database = jest.fn(works);
  const { clock, health } = healthOf({ database });
  await Promise.all(Array.from({ length: 1000 }, () => health.readiness()));
  await clock.advance(999);
  await health.readiness();
  expect(database).toHaveBeenCalledTimes(1);
  await clock.advance(1);
  expect((await health.readiness()).isReady).toBe(true);
  expect(database).toHaveBeenCalledTimes(2);
});

test('a check that hangs is reported within a second, and not started again before it has ended', async () => {
  let answer = () => {};
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const storage = jest.fn(() => answered);
  const { clock, health } = healthOf({ storage });
  for (let second = 0; second < 2; second += 1) {
    const report = jest.fn();
    void health.readiness().then(report);
    await clock.advance(999);
    expect(report).toHaveBeenCalledWith(
      expect.objectContaining({
        isReady: false,
        checks: { storage: 'does not answer in time', database: 'ok', hashQueue: 'ok', process: 'ok' },
      }),
    );
    await clock.advance(1);
  }
  expect(storage).toHaveBeenCalledTimes(1);
  answer();
  await clock.advance(1000);
  expect((await health.readiness()).isReady).toBe(true);
});
