import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { Logger } from '../system/log.ts';
import { messageOf, systemErrorCode } from '../system/system-errors.ts';
import { isDatabaseAway, isDatabaseFull } from './database-errors.ts';

/** How a start waits for a database that does not answer yet, for example because both start at the same time. */
export interface DatabaseWait {
  /** How long to wait. With 0 there is one attempt. */
  forMillis: number;
  /** Ends the wait; its reason is thrown. */
  signal: AbortSignal;
  /** Gets a line at once and every few seconds while the database is away. */
  log: Logger;
}

const RETRY_MILLIS = 200;
const LOG_INTERVAL_MILLIS = 3_000;

/**
 * Opens a database, and tries again as long as it does not answer. Any other error, such as a wrong password, would come
 * again, so it ends the wait at once.
 * @param open one attempt, with its own time limit
 * @throws an error for people, if the time is over or the database cannot be used; the reason of the signal
 */
export async function waitForDatabase<T>(
  open: () => Promise<T>,
  { forMillis, signal, log }: DatabaseWait,
): Promise<T> {
  const deadline = performance.now() + forMillis;
  for (let nextLogAt = 0; ; ) {
    try {
      return await open();
    } catch (error) {
      // A system error comes from the name server (mongodb+srv), which may also be starting.
      const isAway = isDatabaseAway(error) || systemErrorCode(error) !== undefined;
      if (isDatabaseFull(error)) {
        throw new Error('The database is out of room: its disk is full.', { cause: error });
      }
      if (!isAway) {
        throw new Error(`The database cannot be used: ${messageOf(error)}`, { cause: error });
      }
      const now = performance.now();
      if (now >= deadline) {
        throw noAnswer(error, forMillis);
      }
      if (now >= nextLogAt) {
        const secondsLeft = Math.ceil((deadline - now) / 1000);
        log.warn(
          { hosts: hostsOf(error), reason: messageOf(error), secondsLeft },
          'waiting for the database',
        );
        nextLogAt = now + LOG_INTERVAL_MILLIS;
      }
    }
    await wait(RETRY_MILLIS, undefined, { signal });
  }
}

function noAnswer(error: unknown, forMillis: number): Error {
  const hosts = hostsOf(error)?.join(', ');
  const where = hosts ? ` at ${hosts}` : '';
  const howLong = forMillis > 0 ? ` within ${forMillis / 1000} s (START_WAIT_SECONDS)` : '';
  return new Error(`The database${where} does not answer${howLong}: ${messageOf(error)}`, { cause: error });
}

/** The hosts that the driver has tried. Not those of the connection string, which may hold a password. */
function hostsOf(error: unknown): string[] | undefined {
  if (!(error instanceof mongoose.Error.MongooseServerSelectionError && 'reason' in error)) {
    return undefined;
  }
  const { reason } = error;
  const isTopology = typeof reason === 'object' && reason !== null && 'servers' in reason;
  return isTopology && reason.servers instanceof Map ? [...reason.servers.keys()].map(String) : undefined;
}
