import { availableParallelism } from 'node:os';
import { spendBcrypt } from '../../auth/passwords/stored-hash.ts';
import { type Check, type Finding, ok, warning } from './check.ts';

/** A higher cost would take minutes to measure. Each step of the cost doubles the time. */
const MAX_MEASURED_COST = 10;
const ROUNDS = 3;

/**
 * What one hash costs on this machine, and how many logins it can do. Processor time is measured, not the time that passes:
 * beside a busy gateway hashes have to wait.
 */
export const hashCheck: Check = {
  name: 'hashing',
  maxMillis: 60_000,
  async *run({ config: { bcryptCost, hashConcurrency } }, signal) {
    const cost = Math.min(bcryptCost, MAX_MEASURED_COST);
    const cores = Math.min(hashConcurrency, availableParallelism());
    const before = process.cpuUsage();
    for (let round = 0; round < ROUNDS; round += 1) {
      signal.throwIfAborted();
      // All at once: cores that share parts are slower together.
      await Promise.all(Array.from({ length: cores }, () => spendBcrypt(cost)));
    }
    const { user, system } = process.cpuUsage(before);
    const millis = (user + system) / 1_000 / (ROUNDS * cores);
    yield judgeHashing(bcryptCost, millis * 2 ** (bcryptCost - cost), cores);
  },
};

/** OWASP Password Storage Cheat Sheet, "bcrypt": a work factor of 10 or more. */
const MIN_COST = 10;

/** Every login waits for its hash. More than this is felt. */
const SLOW_MILLIS = 1_000;

/**
 * @param millis of one hash, in processor time
 * @param cores that hash at a time
 */
export function judgeHashing(cost: number, millis: number, cores: number): Finding {
  const perSecond = (cores * 1_000) / Math.max(millis, 0.001);
  const rate = perSecond >= 10 ? perSecond.toFixed(0) : perSecond.toFixed(1);
  const text = `One hash of BCRYPT_COST=${cost} takes ${Math.ceil(millis)} ms here: ${rate} logins a second on ${cores} cores.`;
  if (cost < MIN_COST) {
    return warning(
      `${text} With a cost this low, passwords are easy to find from stolen hashes.`,
      'Remove BCRYPT_COST, or set 10 or more.',
    );
  }
  const todo = 'Lower BCRYPT_COST by 1 or 2, but not below 10, or use a faster machine.';
  return millis > SLOW_MILLIS ? warning(`${text} Every login waits that long.`, todo) : ok(text);
}
