import { setImmediate as afterInput } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { WorkQueue } from '../../../src/auth/passwords/work-queue.ts';
import { ServiceUnavailableError } from '../../../src/errors/errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const MAX_WAIT_MILLIS = 1_500;

/** A queue on a clock that stands still, so that no wait is too long. */
const queueOf = (concurrency: number, maxWaiting: number, clock = new ManualClock()) =>
  new WorkQueue({ concurrency, maxWaiting, maxWaitMillis: MAX_WAIT_MILLIS, clock });

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

test('returns the result of the job', async () => {
  const queue = queueOf(1, 1);
  await expect(queue.run(async () => 'result')).resolves.toBe('result');
});

test('throws the error of the job, and runs the next one', async () => {
  const queue = queueOf(1, 1);
  await expect(queue.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(queue.run(async () => 'next')).resolves.toBe('next');
});

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

test('a full queue rejects a new job at once', async () => {
  const queue = queueOf(1, 2);
  const jobs = [job(), job(), job()];
  expect(queue.isFull).toBe(false);
  const runs = jobs.map(({ work }) => queue.run(work));
  expect(queue.isFull).toBe(true);
  const refused = job();
  await expect(queue.run(refused.work)).rejects.toBeInstanceOf(ServiceUnavailableError);
  expect(refused.state.hasBegun).toBe(false);

  for (const { resolve } of jobs) {
    resolve('');
  }
  await Promise.all(runs);
  expect(queue.isFull).toBe(false);
  await expect(queue.run(async () => 'room again')).resolves.toBe('room again');
});

test('a job that has waited for too long is rejected and never starts', async () => {
  const clock = new ManualClock();
  const queue = queueOf(1, 10, clock);
  const endless = job();
  const running = queue.run(endless.work);
  const waiting = job();
  const rejected = jest.fn();
  const run = queue.run(waiting.work).catch(rejected);
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

  test('a job that has not started leaves the queue and makes room', async () => {
    const queue = queueOf(1, 1);
    const running = job();
    const runs = [queue.run(running.work)];
    const caller = new AbortController();
    const waiting = job();
    const left = queue.run(waiting.work, { ip: '192.0.2.1', gone: caller.signal });
    expect(queue.depth).toEqual({ running: 1, waiting: 1 });
    caller.abort(REASON);
    await expect(left).rejects.toBe(REASON);
    expect(queue.depth).toEqual({ running: 1, waiting: 0 });

    const next = job();
    runs.push(queue.run(next.work));
    running.resolve('');
    next.resolve('');
    await Promise.all(runs);
    expect([waiting.state.hasBegun, next.state.hasBegun]).toEqual([false, true]);
  });

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

test('requesters take turns: one with many waiting jobs delays only its own', async () => {
  const queue = queueOf(1, 100);
  const order: string[] = [];
  const run = (ip: string, name: string) =>
    queue.run(
      async () => {
        order.push(name);
      },
      { ip },
    );
  const running = job();
  const runs = [queue.run(running.work)];
  const crowd = ['crowd 1', 'crowd 2', 'crowd 3'].map((name) => run('192.0.2.1', name));
  const others = [run('192.0.2.2', 'one'), run('192.0.2.3', 'another'), run('192.0.2.2', 'one again')];
  running.resolve('');
  await Promise.all([...runs, ...crowd, ...others]);
  expect(order).toEqual(['crowd 1', 'one', 'another', 'crowd 2', 'one again', 'crowd 3']);
  // A requester without waiting jobs starts anew.
  await run('192.0.2.1', 'crowd 4');
  expect(order.at(-1)).toBe('crowd 4');
});

test('a rejection says for the log how long the queue is', async () => {
  const queue = queueOf(1, 1);
  const jobs = [job(), job()];
  const runs = jobs.map(({ work }) => queue.run(work));
  await expect(queue.run(job().work)).rejects.toMatchObject({
    message: 'Service Unavailable',
    detail: 'the hash queue is full: 1 waiting, 1 running',
  });
  for (const { resolve } of jobs) {
    resolve('');
  }
  await Promise.all(runs);
});
