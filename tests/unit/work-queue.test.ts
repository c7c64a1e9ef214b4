import { setTimeout as wait } from 'node:timers/promises';
import { WorkQueue } from '../../src/auth/passwords/work-queue.ts';
import { ServiceUnavailableError } from '../../src/errors/errors.ts';

const PATIENT_MILLIS = 60_000;

/** Work that ends when it is told to. */
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
const settle = () => wait(0);

test('gives what the work gives', async () => {
  const queue = new WorkQueue(1, 1, PATIENT_MILLIS);
  await expect(queue.run(async () => 'result')).resolves.toBe('result');
});

test('throws what the work throws, and goes on', async () => {
  const queue = new WorkQueue(1, 1, PATIENT_MILLIS);
  await expect(queue.run(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  await expect(queue.run(async () => 'next')).resolves.toBe('next');
});

test('runs so many at a time and the others in their order', async () => {
  const queue = new WorkQueue(2, 10, PATIENT_MILLIS);
  const jobs = [job(), job(), job(), job()];
  const begun = () => jobs.map(({ state }) => state.hasBegun);
  const runs = jobs.map(({ work }) => queue.run(work));
  await settle();
  expect(begun()).toEqual([true, true, false, false]);
  jobs[1]?.resolve('');
  await settle();
  expect(begun()).toEqual([true, true, true, false]);
  for (const { resolve } of jobs) resolve('');
  await Promise.all(runs);
  expect(begun()).toEqual([true, true, true, true]);
});

test('tells at once whom it has no room for', async () => {
  const queue = new WorkQueue(1, 2, PATIENT_MILLIS);
  const jobs = [job(), job(), job()];
  expect(queue.isFull).toBe(false);
  const runs = jobs.map(({ work }) => queue.run(work));
  expect(queue.isFull).toBe(true);
  const refused = job();
  await expect(queue.run(refused.work)).rejects.toBeInstanceOf(ServiceUnavailableError);
  expect(refused.state.hasBegun).toBe(false);

  for (const { resolve } of jobs) resolve('');
  await Promise.all(runs);
  expect(queue.isFull).toBe(false);
  await expect(queue.run(async () => 'room again')).resolves.toBe('room again');
});

test('does not let anybody wait for longer than agreed, and never begins that work', async () => {
  const queue = new WorkQueue(1, 10, 20);
  const endless = job();
  const running = queue.run(endless.work);
  const waiting = job();
  await expect(queue.run(waiting.work)).rejects.toBeInstanceOf(ServiceUnavailableError);
  endless.resolve('done');
  // Work that has begun has no deadline.
  await expect(running).resolves.toBe('done');
  await settle();
  expect(waiting.state.hasBegun).toBe(false);
});

describe('when nobody waits for the result any more', () => {
  const REASON = new Error('the caller has gone');

  test('work that has not begun leaves the queue and makes room', async () => {
    const queue = new WorkQueue(1, 1, PATIENT_MILLIS);
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

  test('work that has begun keeps its place until it is done', async () => {
    const queue = new WorkQueue(1, 1, PATIENT_MILLIS);
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

  test('work of somebody who has already gone is not taken on', async () => {
    const queue = new WorkQueue(1, 1, PATIENT_MILLIS);
    const { work, state } = job();
    await expect(queue.run(work, { ip: '192.0.2.1', gone: AbortSignal.abort(REASON) })).rejects.toBe(REASON);
    expect(state.hasBegun).toBe(false);
  });
});

test('clients take turns: one that has much waiting holds up nobody but itself', async () => {
  const queue = new WorkQueue(1, 100, PATIENT_MILLIS);
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
  // Whoever has nothing waiting any more is as good as new.
  await run('192.0.2.1', 'crowd 4');
  expect(order.at(-1)).toBe('crowd 4');
});

test('a refusal says how deep the queue is, for the log', async () => {
  const queue = new WorkQueue(1, 1, PATIENT_MILLIS);
  const jobs = [job(), job()];
  const runs = jobs.map(({ work }) => queue.run(work));
  await expect(queue.run(job().work)).rejects.toMatchObject({
    message: 'Service Unavailable',
    detail: 'the hash queue is full: 1 waiting, 1 running',
  });
  for (const { resolve } of jobs) resolve('');
  await Promise.all(runs);
});
