import { setTimeout as wait } from 'node:timers/promises';
import type { Door, Outcome } from './doors.ts';
import { type Authenticated, authenticated } from './expectations.ts';

/** What is wrong shows in all of them. */
const CHANCES = 3;

/**
 * Tries something that goes wrong, too, when a process stands still at a bad moment, as on a busy machine.
 * @param attempt throws when it did not succeed; it may be made again all the same
 * @throws what the last attempt threw
 */
export async function withChances<T>(attempt: () => Promise<T>): Promise<T> {
  for (let chance = 1; ; chance += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (chance === CHANCES) throw error;
    }
  }
}

const PAUSE_MILLIS = 500;

/**
 * Does what whoever is answered with 503 is told to do: comes again. On a slow disk, the database may not answer in time.
 * Not for registrations: see {@link registeredInTheEnd}.
 */
export async function comingAgain(call: () => Promise<Outcome>): Promise<Outcome> {
  for (let chance = 1; ; chance += 1) {
    const outcome = await call();
    if (outcome.ok || outcome.kind !== 'unavailable' || chance === CHANCES) return outcome;
    await wait(PAUSE_MILLIS);
  }
}

/**
 * Registers somebody who does not exist. One who is answered with 503 comes again, unless the registration was made all
 * the same.
 */
export const registeredInTheEnd = (
  door: Door,
  person: { email: string; password: string },
  register: () => Promise<Outcome>,
): Promise<Authenticated> =>
  withChances(async () => {
    const outcome = await register();
    return authenticated(outcome.ok ? outcome : await comingAgain(() => door.login(person)));
  });
