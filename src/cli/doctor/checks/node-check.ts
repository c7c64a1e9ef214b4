import { availableParallelism } from 'node:os';
import type { Check } from '../check.ts';
import { error, type Finding, note, ok, warning } from '../finding.ts';
import { OLDEST_NODE, supportEndOf } from '../node-support.ts';

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
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isTooOld = major < OLDEST_NODE.major || (major === OLDEST_NODE.major && minor < OLDEST_NODE.minor);
  const recommended = 'Move to Node.js 24.';
  if (isTooOld) {
    const oldest = `${OLDEST_NODE.major}.${OLDEST_NODE.minor}`;
    return error(
      `Node.js ${version} is older than ${oldest}, the oldest that the gateway runs on.`,
      recommended,
    );
  }
  const end = supportEndOf(major);
  if (end === undefined) {
    return note(
      `Node.js ${version} is newer than this gateway knows.`,
      'Look for a newer version of the gateway.',
    );
  }
  const isOver = now >= Date.parse(end) + MILLIS_OF_A_DAY;
  return isOver
    ? warning(`The support of Node.js ${version} ended on ${end}: it gets no security fixes.`, recommended)
    : ok(`Node.js ${version} is supported until ${end}.`);
}

const MILLIS_OF_A_DAY = 86_400_000;

/**
 * @param concurrency how many passwords are hashed at a time
 * @param cores of this machine, as far as this process may use them
 */
export function judgeThreads(concurrency: number, cores: number): Finding {
  if (concurrency >= cores + 1) {
    return ok(`${cores} cores hash ${concurrency} passwords at a time (UV_THREADPOOL_SIZE).`);
  }
  const text = `${cores} cores hash only ${concurrency} passwords at a time: UV_THREADPOOL_SIZE is too small.`;
  return warning(text, `Set UV_THREADPOOL_SIZE=${cores + 2} in the environment of the gateway.`);
}
