import { performance } from 'node:perf_hooks';
import { setTimeout as wait } from 'node:timers/promises';
import mongoose from 'mongoose';
import type { Logger } from '../system/log.ts';
import { messageOf, systemErrorCode } from '../system/system-errors.ts';
import { isDatabaseAway } from './database-errors.ts';

/** How a start waits for a database that does not answer yet, as when both are started at once. */
export interface DatabaseWait {
  /** 0 tries once. */
  forMillis: number;
  /** Ends the wait, by throwing its reason. */
  signal: AbortSignal;
  /** Gets a line at once and every few seconds while the database is away. */
  log: Logger;
}

const PAUSE_MILLIS = 200;
const TELL_MILLIS = 3_000;

/**
 * Opens a database, again and again as long as it does not answer. Whatever else is wrong, such as a password, would be
 * wrong the next time, too, and is not waited for.
 * @param open one attempt, which has a limit of its own
 * @throws an error for people, when the time is over or at once; the signal's
 */
export async function waitForDatabase<T>(
  open: () => Promise<T>,
  { forMillis, signal, log }: DatabaseWait,
): Promise<T> {
  const deadline = performance.now() + forMillis;
  for (let nextTelling = 0; ; ) {
    try {
      return await open();
    } catch (error) {
      // An error of the system is the name server's, which may also be on its way (mongodb+srv).
      const isAway = isDatabaseAway(error) || systemErrorCode(error) !== undefined;
      if (!isAway) {
        throw new Error(`The database cannot be used: ${messageOf(error)}`, { cause: error });
      }
      const now = performance.now();
      if (now >= deadline) {
        throw noAnswer(error, forMillis);
      }
      if (now >= nextTelling) {
        const secondsLeft = Math.ceil((deadline - now) / 1000);
        log.warn(
          { hosts: hostsOf(error), reason: messageOf(error), secondsLeft },
          'waiting for the database',
        );
        nextTelling = now + TELL_MILLIS;
      }
    }
    await wait(PAUSE_MILLIS, undefined, { signal });
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
