import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Api, Outcome } from './api.ts';
import { type Authenticated, authenticated } from './expectations.ts';

/*
 * Retries are only for the faults tier, whose tests depend on real time: on a busy machine a process may stand still at a
 * bad moment. Each retry is printed, and the run ends with their number (global-teardown.mjs).
 */

const MAX_RETRIES = 2;

/** Prints a retry and counts it. */
function note(retry: number, reason: string): void {
  const { currentTestName = 'the preparation of a file', testPath = '' } = expect.getState();
  const line = `Retry ${retry} of ${MAX_RETRIES} in ${currentTestName} (${testPath}): ${reason.split('\n')[0]}\n`;
  process.stdout.write(line);
  appendFileSync(process.env.TEST_RETRIES_FILE ?? '/dev/null', line);
}

/**
 * Makes an attempt, and makes it again if it fails, twice at most.
 * @param attempt throws on failure; it must be possible to make it again
 * @throws the error of the last attempt
 */
export async function withRetries<T>(attempt: () => Promise<T>): Promise<T> {
  for (let retry = 1; ; retry += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (retry > MAX_RETRIES) {
        throw error;
      }
      note(retry, String(error));
    }
  }
}

const PAUSE_MILLIS = 500;

/**
 * Makes a call again after a 503, as `Retry-After` asks. The database may answer too late on a slow disk. Not for
 * registrations: see {@link registeredInTheEnd}.
 */
export async function comingAgain(call: () => Promise<Outcome>): Promise<Outcome> {
  for (let retry = 1; ; retry += 1) {
    const outcome = await call();
    if (outcome.ok || outcome.kind !== 'unavailable' || retry > MAX_RETRIES) {
      return outcome;
    }
    note(retry, 'the gateway has answered 503');
    await wait(PAUSE_MILLIS);
  }
}

/** Registers a new person. After a 503 it logs in, in case the registration succeeded, or registers again. */
export const registeredInTheEnd = (
  api: Api,
  person: { email: string; password: string },
  register: () => Promise<Outcome>,
): Promise<Authenticated> =>
  withRetries(async () => {
    const outcome = await register();
    return authenticated(outcome.ok ? outcome : await comingAgain(() => api.login(person)));
  });
