import { ActThrottle } from '../../../src/auth/throttle/act-throttle.ts';
import type { AttemptCounter } from '../../../src/auth/throttle/attempt-counters.ts';
import { countInMemory } from '../../../src/auth/throttle/counts-in-memory.ts';
import type { ThrottleLimits } from '../../../src/auth/throttle/throttle-limits.ts';
import type { WindowCounts } from '../../../src/stores/attempts.ts';
import { TooManyAttemptsError } from '../../../src/system/errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** The bound of the gateway. */
const MEMORY_KEYS = 50_000;
/** A smaller bound, for what does not depend on it. */
const FEW_KEYS = 500;

/** Counts an attempt; undefined when it is refused. */
async function take(counter: AttemptCounter, key: string): Promise<WindowCounts | undefined> {
  const taken = await (await counter.check(key)).count();
  return taken.refusal ? undefined : taken.counts;
}
const isTaken = async (counter: AttemptCounter, key: string) => (await take(counter, key)) !== undefined;

test('counts in memory are forgotten, the longest unused first, before they fill it', async () => {
  const counter = countInMemory(new ManualClock())('test', { day: 1 });
  expect(await isTaken(counter, 'first')).toBe(true);
  expect(await isTaken(counter, 'second')).toBe(true);
  expect(await isTaken(counter, 'first')).toBe(false);
  for (let key = 1; key < MEMORY_KEYS; key += 1) {
    await take(counter, String(key));
  }
  expect(await isTaken(counter, 'first')).toBe(false);
  expect(await isTaken(counter, 'second')).toBe(true);
});

test.each([
  ['registrations', (throttle: ActThrottle, ip: string) => throttle.beforeRegistration(ip)],
  ['wrong secrets of services', (throttle: ActThrottle, ip: string) => throttle.countServiceFailure(ip)],
])(
  'one /48 with thousands of networks does not push out the count of another address (%s)',
  async (_, act) => {
    const limits = { registrationsPerMinute: 60, serviceFailuresPerMinute: 60 };
    const throttle = new ActThrottle(
      limits as ThrottleLimits,
      countInMemory(new ManualClock(), 2 * FEW_KEYS),
    );
    for (let count = 0; count < 60; count += 1) {
      await act(throttle, '192.0.2.1');
    }
    let admitted = 0;
    for (let network = 0; network < 6 * FEW_KEYS; network += 1) {
      const isAdmitted = await act(throttle, `2001:db8:1:${network.toString(16)}::/64`).then(
        () => true,
        () => false,
      );
      admitted += Number(isAdmitted);
    }
    expect(admitted).toBe(600);
    await expect(act(throttle, '192.0.2.1')).rejects.toThrow(TooManyAttemptsError);
  },
);

test('the count of an attacked account stays in memory, however many other accounts fail', async () => {
  const counter = countInMemory(new ManualClock(), FEW_KEYS)('test', { minute: 1, day: 1 });
  await take(counter, 'victim');
  for (const half of ['first', 'second', 'third']) {
    for (let key = 0; key < FEW_KEYS / 2; key += 1) {
      await take(counter, `${half} ${key}`);
    }
    expect(await isTaken(counter, 'victim')).toBe(false);
  }
});

test('attempts that were given back push no counts out of memory', async () => {
  const counter = countInMemory(new ManualClock(), FEW_KEYS)('test', { minute: 1, day: 1 });
  await take(counter, 'victim');
  for (let key = 0; key <= FEW_KEYS; key += 1) {
    const counts = await take(counter, String(key));
    await counter.giveBack(String(key), counts ?? {});
  }
  expect(await isTaken(counter, 'victim')).toBe(false);
});
