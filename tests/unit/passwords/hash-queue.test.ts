import { setImmediate as afterInput } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { HASH_QUEUE_LIMITS, HashQueue, type Requester } from '../../../src/auth/passwords/hash-queue.ts';
import { ServiceUnavailableError } from '../../../src/system/errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const MAX_WAIT_MILLIS = 10_000;
const { knownTurns } = HASH_QUEUE_LIMITS;

/** A queue on a clock that stands still, so that no wait is too long. */
const queueOf = (concurrency: number, maxWaiting: number, clock = new ManualClock()) =>
  new HashQueue({ concurrency, maxWaiting, maxStrangerWaitMillis: MAX_WAIT_MILLIS, knownTurns, clock });

/** A job that ends when the test resolves it. */
function job() {
  let resolve: (result: string) => void = () => {};
  const promise = new Promise<string>((settle) => {
    resolve = settle;
  });
  const state = { hasBegun: false };
  const work = () => {
    state.hasBegun = true;
    return promise;
  };
  return { state, work, resolve: (result: string) => resolve(result) };
}

/** Lets everything that is ready to run do so. */
const settle = () => afterInput();

test('runs a limited number of jobs at a time, and the others in their order', async () => {
  const queue = queueOf(2, 10);
  const jobs = [job(), job(), job(), job()];
  const begun = () => jobs.map(({ state }) => state.hasBegun);
  const runs = jobs.map(({ work }) => queue.run(work));
  await settle();
  expect(begun()).toEqual([true, true, false, false]);
  jobs[1]?.resolve('');
  await settle();
  expect(begun()).toEqual([true, true, true, false]);
  for (const { resolve } of jobs) {
    resolve('');
  }
  await Promise.all(runs);
  expect(begun()).toEqual([true, true, true, true]);
});

/** Requesters of different networks, in each way of asking. */
const STRANGERS = Array.from({ length: 9 }, (_, index) => ({ ip: `192.0.${index}.1` }));
const [STRANGER = { ip: '' }, OTHER_STRANGER = { ip: '' }] = STRANGERS;
const KNOWN = { ip: '198.51.100.1', isKnown: true };

/** A queue with a slot that is taken until the test ends that job, and the names of the others in the order of their start. */
function blockedQueue(maxWaiting: number, clock = new ManualClock(), concurrency = 1) {
  const queue = queueOf(concurrency, maxWaiting, clock);
  const blocking = job();
  const order: string[] = [];
  const refused: string[] = [];
  const runs = [queue.run(blocking.work)];
  const run = (name: string, requester: Requester) => {
    const ended = queue.run(async () => `${order.push(name)}`, requester);
    runs.push(
      ended.catch((error) => {
        expect(error).toBeInstanceOf(ServiceUnavailableError);
        return `${refused.push(name)}`;
      }),
    );
  };
  const runMany = (count: number, name: string, requester: Requester) => {
    for (let times = 0; times < count; times += 1) {
      run(name, requester);
    }
  };
  const end = async () => {
    blocking.resolve('');
    await Promise.all(runs);
  };
  return { queue, run, runMany, order, refused, end };
}

test('strangers fill only their own places', async () => {
  const { queue, run, order, refused, end } = blockedQueue(2);
  for (const [index, stranger] of STRANGERS.entries()) {
    run(`stranger ${index}`, stranger);
  }
  run('known', KNOWN);
  await settle();
  expect(refused).toHaveLength(STRANGERS.length - 2);
  expect(queue.isFull).toBe(false);
  await end();
  expect(order).toEqual(['known', 'stranger 0', 'stranger 1']);
});

test('the queue is full when no further network of known requesters would get a place', async () => {
  const { queue, run, end } = blockedQueue(2);
  run('one', KNOWN);
  run('same network', KNOWN);
  expect(queue.isFull).toBe(false);
  run('other network', { ...OTHER_STRANGER, isKnown: true });
  expect(queue.isFull).toBe(true);
  await end();
  expect(queue.isFull).toBe(false);
});

test('known requesters come first, and one of eight turns is for strangers', async () => {
  const { run, runMany, order, end } = blockedQueue(100);
  run('stranger 1', STRANGER);
  run('stranger 2', STRANGER);
  runMany(16, 'known', KNOWN);
  await end();
  expect([order.indexOf('stranger 1'), order.indexOf('stranger 2')]).toEqual([6, 14]);
  expect(order).toHaveLength(18);
});

test('a known requester with many jobs does not delay known requesters of other networks', async () => {
  const { run, runMany, order, end } = blockedQueue(1024);
  runMany(1200, 'crowd', { ip: '192.0.2.1', isKnown: true });
  run('owner', KNOWN);
  await end();
  expect(order.indexOf('owner')).toBe(1);
});

const CROWD = { ip: '192.0.2.1', isKnown: true };

test('a ward of 100 known requesters of one address comes before strangers', async () => {
  const { run, runMany, order, end } = blockedQueue(1024);
  const patients = Array.from({ length: 200 }, (_, index) => ({ ip: `10.0.${index}.1` }));
  for (const stranger of patients) {
    run('stranger', stranger);
  }
  runMany(100, 'ward', CROWD);
  await end();
  // Strangers have every eighth turn meanwhile.
  expect(order.lastIndexOf('ward')).toBeLessThanOrEqual(Math.floor((100 * 8) / 7));
});

test('a job that starts at once takes nothing from the turns of its network', async () => {
  const { queue, run, order, end } = blockedQueue(1024, new ManualClock(), 2);
  for (let count = 1; count <= knownTurns.atOnce; count += 1) {
    await queue.run(async () => '', CROWD);
  }
  const blocking = job();
  const blocked = queue.run(blocking.work);
  run('stranger', STRANGER);
  run('known', CROWD);
  blocking.resolve('');
  await Promise.all([blocked, end()]);
  expect(order).toEqual(['known', 'stranger']);
});

test.each([
  ['no strangers', 0],
  ['more strangers than may wait, of as many networks', 1100],
])('300 known requesters of one address all have their turn among %s', async (_, strangers) => {
  const clock = new ManualClock();
  const { run, runMany, order, refused, end } = blockedQueue(1024, clock);
  runMany(300, 'crowd', CROWD);
  for (let index = 0; index < strangers; index += 1) {
    run('stranger', { ip: `10.${index >> 8}.${index & 255}.1` });
  }
  await settle();
  expect(refused).toHaveLength(Math.max(0, strangers - 1024));
  await clock.advance(100 * MAX_WAIT_MILLIS);
  await end();
  expect(order.filter((name) => name === 'crowd')).toHaveLength(300);
});

test('known requesters of one address that always wait leave strangers of 60 networks their turns', async () => {
  const HASH_MILLIS = 125;
  const clock = new ManualClock();
  const queue = queueOf(1, 1024, clock);
  const ends: Record<string, number> = { crowd: 0, served: 0, refused: 0 };
  const hash = () => new Promise<void>((resolve) => clock.after(HASH_MILLIS, resolve));
  const count = (name: string) => {
    ends[name] = (ends[name] ?? 0) + 1;
  };
  const attack = (millis: number) =>
    queue
      .run(hash, CROWD)
      .then(() => count('crowd'))
      .then((): unknown => (clock.elapsed() < millis ? attack(millis) : undefined));
  const attackers = Array.from({ length: 40 }, () => attack(60_000));
  // The first hash begins.
  await settle();
  // Their turns before strangers are used up by then.
  await clock.advance(30_000);
  const strangers = Array.from({ length: 60 }, (_, index) =>
    queue.run(hash, { ip: `10.0.${index}.1` }).then(
      () => count('served'),
      () => count('refused'),
    ),
  );
  await clock.advance(MAX_WAIT_MILLIS + HASH_MILLIS);
  expect(ends).toMatchObject({ served: 60, refused: 0 });
  await Promise.all(strangers);
  await clock.advance(60_000);
  await Promise.all(attackers);
  expect(queue.depth).toEqual({ running: 0, waiting: 0 });
});

test('the known requesters of a network that has used up its turns do not take those of another', async () => {
  const { run, runMany, order, end } = blockedQueue(1024);
  runMany(400, 'crowd', CROWD);
  run('stranger', STRANGER);
  run('owner', KNOWN);
  await end();
  expect(order.indexOf('owner')).toBe(1);
});

test('the job of a stranger that has waited for too long is rejected and never starts', async () => {
  const clock = new ManualClock();
  const queue = queueOf(1, 10, clock);
  const endless = job();
  const running = queue.run(endless.work);
  const waiting = job();
  const rejected = jest.fn();
  const run = queue.run(waiting.work, STRANGER).catch(rejected);
  await clock.advance(MAX_WAIT_MILLIS - 1);
  expect(rejected).not.toHaveBeenCalled();
  await clock.advance(1);
  await run;
  expect(rejected).toHaveBeenCalledWith(expect.any(ServiceUnavailableError));
  endless.resolve('done');
  // A job that has started has no deadline.
  await expect(running).resolves.toBe('done');
  await settle();
  expect(waiting.state.hasBegun).toBe(false);
});

describe('when the result is no longer needed', () => {
  const REASON = new Error('the caller has gone');

  test('a job that has started keeps its place until it is done', async () => {
    const queue = queueOf(1, 1);
    const caller = new AbortController();
    const [running, next] = [job(), job()];
    const runs = [queue.run(running.work, { ip: '192.0.2.1', gone: caller.signal }), queue.run(next.work)];
    await settle();
    caller.abort(REASON);
    await settle();
    expect(next.state.hasBegun).toBe(false);
    running.resolve('result');
    next.resolve('next');
    await expect(Promise.all(runs)).resolves.toEqual(['result', 'next']);
  });

  test('the job of a requester that has already gone is rejected', async () => {
    const queue = queueOf(1, 1);
    const { work, state } = job();
    await expect(queue.run(work, { ip: '192.0.2.1', gone: AbortSignal.abort(REASON) })).rejects.toBe(REASON);
    expect(state.hasBegun).toBe(false);
  });
});

test('a rejection says for the log how long the queue is', async () => {
  const queue = queueOf(1, 1);
  const jobs = [job(), job()];
  const runs = jobs.map(({ work }) => queue.run(work, STRANGER));
  await expect(queue.run(job().work, STRANGER)).rejects.toMatchObject({
    message: 'Service Unavailable',
    detail: 'the hash queue is full: 1 waiting, 1 running',
  });
  for (const { resolve } of jobs) {
    resolve('');
  }
  await Promise.all(runs);
});
