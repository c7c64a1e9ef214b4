import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, succeed, withConnections } from './connection.js';

/** Repeats copies of a task until it is stopped. A task that returns false does not count. */
export function keepGoing(task, copies) {
  let going = true;
  const finishedAt = [];
  const ended = Promise.all(
    Array.from({ length: copies }, async (_, i) => {
      while (going) {
        if ((await task(i)) !== false) {
          finishedAt.push(performance.now());
        }
      }
    }),
  );
  /** Waits while the load continues. A task that fails ends the wait. */
  const last = (millis) => Promise.race([sleep(millis), ended]);
  const stop = () => {
    going = false;
    return ended;
  };
  return { finishedAt, last, stop };
}

/**
 * Finished tasks a second: the slope of the line through their count over time (least squares). The rate between the first and
 * the last would be too high if several finish at the same time, like hashes that share the cores.
 */
function perSecond(times) {
  if (times.length < 2) {
    throw new Error('nothing finished');
  }
  const mean = (numbers) => numbers.reduce((sum, number) => sum + number) / numbers.length;
  const meanTime = mean(times);
  const away = times.map((time) => time - meanTime);
  const meanCount = (times.length - 1) / 2;
  const covariance = mean(away.map((time, count) => time * (count - meanCount)));
  return (1000 * covariance) / mean(away.map((time) => time ** 2));
}

/** Finished tasks a second under steady load. */
export async function rate(task, copies, { settleMillis, millis }) {
  const load = keepGoing(task, copies);
  await load.last(settleMillis);
  const first = load.finishedAt.length;
  await load.last(millis);
  const times = load.finishedAt.slice(first);
  await load.stop();
  return perSecond(times);
}

/** Answers a second to requests, one connection for each copy. */
export const requestRate = (port, copies, requestOf, time) =>
  withConnections(port, copies, (connections) =>
    rate((i) => succeed(connections[i], requestOf(i)), copies, time),
  );

/** Like {@link rate}, but each item is used once. The first tenth does not count. */
export async function rateOfEach(items, copies, task) {
  const queue = items.values();
  const finishedAt = [];
  const clients = Array.from({ length: copies }, async (_, i) => {
    for (const item of queue) {
      await task(i, item);
      finishedAt.push(performance.now());
    }
  });
  await Promise.all(clients);
  return perSecond(finishedAt.slice(Math.floor(items.length / 10)));
}

/** How long a rate of fast requests is measured, for {@link rate}. */
export const fastTime = (quick) => ({ settleMillis: 500, millis: quick ? 2000 : 3000 });

/** How many requests compile the code of a server of fast requests. */
export const fastWarmUp = (quick) => (quick ? 2000 : 10_000);

/** Sends requests until a server's code is compiled. GraphQL needs thousands of them. */
export const warmUp = (port, copies, count, requestOf) =>
  withConnections(port, copies, (connections) =>
    rateOfEach(Array.from({ length: count }), copies, (i) => succeed(connections[i], requestOf(i))),
  );

/**
 * Runs a task at fixed times, even if the last one has not ended. Returns the milliseconds from the due time to the end, and
 * how late this process began the task because no core was free.
 */
export async function paced(perSecond, seconds, task) {
  const startedAt = performance.now();
  const running = [];
  for (let i = 0; i < perSecond * seconds; i += 1) {
    const dueAt = startedAt + (i * 1000) / perSecond;
    const early = dueAt - performance.now();
    if (early > 0) {
      await sleep(early);
    }
    const late = Math.max(0, performance.now() - dueAt);
    running.push(task(i).then(() => ({ millis: performance.now() - dueAt, late })));
  }
  return Promise.all(running);
}

/**
 * Sends requests at fixed times, each on an idle connection.
 * @param perSecond at least one: a server closes connections that are idle for long
 * @param requestOf the request of a number
 * @returns the milliseconds of each request from its due time to the end of its answer
 */
export const pacedRequests = (port, perSecond, seconds, requestOf) =>
  // Used in turn, so that none is idle for long.
  withConnections(port, Math.ceil(perSecond / 5), async (connections) => {
    const idle = [...connections];
    const samples = await paced(perSecond, seconds, async (i) => {
      const connection = idle.shift() ?? (await Connection.open(port));
      if (!connections.includes(connection)) {
        connections.push(connection);
      }
      await succeed(connection, requestOf(i));
      idle.push(connection);
    });
    return samples.map(({ millis }) => millis);
  });
