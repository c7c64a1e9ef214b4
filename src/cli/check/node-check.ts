import { availableParallelism } from 'node:os';
import { DAY_MILLIS } from '../../system/calendar.ts';
import { isTooOld, OLDEST_NODE } from '../../system/oldest-node.ts';
import { type Check, error, type Finding, note, ok, warning } from './check.ts';

/** The version of Node.js, and its threads. */
export const nodeCheck: Check = {
  name: 'node',
  maxMillis: 5_000,
  async *run({ nodeVersion, clock, config }) {
    yield judgeVersion(nodeVersion, clock.now());
    yield judgeThreads(config.hashConcurrency, availableParallelism());
  },
};

/**
 * @param version without a `v`
 * @param now in milliseconds since the epoch
 */
export function judgeVersion(version: string, now: number): Finding {
  const recommended = 'Install Node.js 24.';
  if (isTooOld(version)) {
    return error(
      `Node.js ${version} is older than ${OLDEST_NODE}, the oldest version that the gateway supports.`,
      recommended,
    );
  }
  const end = SUPPORT_ENDS[Number.parseInt(version, 10)];
  if (end === undefined) {
    return note(
      `Node.js ${version} is newer than the versions that this gateway knows.`,
      'Look for a newer version of the gateway.',
    );
  }
  const isOver = now >= Date.parse(end) + DAY_MILLIS;
  return isOver
    ? warning(`Support for Node.js ${version} ended on ${end}: it gets no more security fixes.`, recommended)
    : ok(`Node.js ${version} is supported until ${end}.`);
}

/**
 * @param concurrency how many passwords are hashed at a time
 * @param cores of this machine, as far as this process may use them
 */
export function judgeThreads(concurrency: number, cores: number): Finding {
  if (concurrency >= cores + 1) {
    return ok(
      `The gateway hashes ${concurrency} passwords at a time on ${cores} cores (UV_THREADPOOL_SIZE).`,
    );
  }
  const text = `The gateway hashes only ${concurrency} passwords at a time on ${cores} cores: UV_THREADPOOL_SIZE is too small.`;
  return warning(text, `Set UV_THREADPOOL_SIZE=${cores + 2} in the environment of the gateway.`);
}

/**
 * When the support of each major version ends, security fixes included. By https://github.com/nodejs/Release (schedule.json),
 * as of November 2026.
 */
const SUPPORT_ENDS: Readonly<Record<number, string>> = {
  20: '2026-04-30',
  21: '2024-06-01',
  22: '2027-04-30',
  23: '2025-06-01',
  24: '2028-04-30',
  25: '2026-06-01',
  26: '2029-04-30',
};
