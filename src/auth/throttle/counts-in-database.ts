import type { AttemptStore, WindowCounts, WindowName } from '../../stores/attempts.ts';
import type { Clock } from '../../system/clock.ts';
import { ServiceUnavailableError } from '../../system/errors.ts';
import {
  type AttemptCounter,
  type Check,
  type CreateCounter,
  currentCounts,
  type Outcome,
  type Refusal,
  refusalOf,
  type WindowLimits,
  windowsOf,
} from './attempt-counters.ts';

/** Counts in the database, so that instances share their counts. */
export const countInDatabase =
  (attempts: AttemptStore, clock: Clock): CreateCounter =>
  (name, limits) =>
    new DatabaseCounter(attempts, clock, name, limits);

/** A try fails only if another attempt begins or ends a window at the same moment. Even a second try is rare. */
const MAX_TRIES = 20;

/** A count as read from the database. `counts` has the same objects where a window still runs: the store compares them. */
interface Seen {
  kept: WindowCounts | undefined;
  counts: WindowCounts;
  refusal: Refusal | undefined;
}

class DatabaseCounter implements AttemptCounter {
  readonly #windows: readonly WindowName[];

  constructor(
    private readonly attempts: AttemptStore,
    private readonly clock: Clock,
    private readonly name: string,
    private readonly limits: WindowLimits,
  ) {
    this.#windows = windowsOf(limits);
  }

  async check(key: string): Promise<Check> {
    const fullKey = this.#fullKey(key);
    const seen = this.#currentOf(await this.attempts.read(fullKey));
    return { refusal: seen.refusal, count: () => this.#count(fullKey, seen) };
  }

  async #count(key: string, seen: Seen): Promise<Outcome> {
    const windows = this.#windows;
    const { limits } = this;
    let now = seen;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      if (now.refusal) {
        return { refusal: now.refusal };
      }
      const { kept, counts } = now;
      if (await this.attempts.take({ key, windows, limits, kept, counts })) {
        return { counts };
      }
      now = this.#currentOf(await this.attempts.read(key));
    }
    throw new ServiceUnavailableError('an attempt could not be counted among many others');
  }

  #currentOf(kept: WindowCounts | undefined): Seen {
    const nowMillis = this.clock.now();
    const counts = currentCounts(kept, this.limits, nowMillis);
    return { kept, counts, refusal: refusalOf(counts, this.limits, nowMillis) };
  }

  giveBack(key: string, counts: WindowCounts): Promise<void> {
    return this.attempts.giveBack(this.#fullKey(key), this.#windows, counts);
  }

  forget(key: string): Promise<void> {
    return this.attempts.forget(this.#fullKey(key));
  }

  #fullKey(key: string): string {
    return `${this.name}:${key}`;
  }
}
