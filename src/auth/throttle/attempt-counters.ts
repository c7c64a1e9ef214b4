import type { AttemptStore, WindowCount, WindowCounts, WindowName } from '../../stores/attempts.ts';
import { CLOCK_TOLERANCE_MILLIS, type Clock } from '../../system/clock.ts';
import { ServiceUnavailableError } from '../../system/errors.ts';

/** Counts attempts by key, in several windows at once. */
export interface AttemptCounter {
  /** Checks that no window is full. It counts nothing yet. */
  check(key: string): Promise<LimitCheck>;
  /**
   * Gives an attempt back to the windows in which it was counted. A window that has ended since gets nothing back:
   * otherwise its successor would allow more attempts than its limit.
   * @param counts as {@link LimitCheck} returned them
   */
  giveBack(key: string, counts: WindowCounts): Promise<void>;
  /** Forgets the attempts of a key. */
  forget(key: string): Promise<void>;
  /** Forgets the attempts of a person from all places: of this key, and of all keys that continue it after a slash. */
  forgetAll(person: string): Promise<void>;
}

/** The windows in which an attempt was counted, or why it was refused. */
export type CountOutcome = { counts: WindowCounts; refusal?: undefined } | { refusal: ReachedLimit };

/** Says whether a key may have another attempt. */
export interface LimitCheck {
  refusal: ReachedLimit | undefined;
  /** Counts an attempt in every window, or in none if others have reached a limit since. */
  count(): Promise<CountOutcome>;
}

/**
 * Makes a counter.
 * @param name keeps its keys apart from those of other counters
 * @param limits attempts that a key has in each window
 */
export type CreateCounter = (name: string, limits: WindowLimits) => AttemptCounter;

/** The number of attempts that a key has in each window. A window without a number is not counted. */
export type WindowLimits = Partial<Record<WindowName, number>>;

/** Why an attempt was refused: the limit that was reached, and how long it lasts. */
export interface ReachedLimit {
  limit: number;
  retryAfterSeconds: number;
  /** When the limit ends, in seconds since the epoch. */
  resetEpochSeconds: number;
}

/** The length of each window, in seconds from its first attempt. */
const WINDOW_SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const satisfies Record<
  keyof WindowCounts,
  number
>;

const windowMillis = (name: WindowName): number => WINDOW_SECONDS[name] * 1000;

/** The windows that have a limit, the shortest first. */
const windowsOf = (limits: WindowLimits): WindowName[] =>
  (Object.keys(WINDOW_SECONDS) as WindowName[]).filter((name) => limits[name] !== undefined);

/**
 * The current counts of a key: the kept ones of windows that still run, and new ones for windows that are over.
 * @param kept counts that still apply are returned as the same objects
 */
function currentCounts(
  kept: WindowCounts | undefined,
  limits: WindowLimits,
  nowMillis: number,
): WindowCounts {
  return Object.fromEntries(
    windowsOf(limits).map((name) => [name, currentOf(kept?.[name], name, nowMillis)]),
  );
}

/**
 * If a window ends later than its length from now, the clock was set back. The window then starts again, so that callers
 * need not wait until the clock has caught up.
 */
function currentOf(kept: WindowCount | undefined, name: WindowName, nowMillis: number): WindowCount {
  const endsMillis = nowMillis + windowMillis(name);
  const stillRuns =
    kept && kept.endsMillis > nowMillis && kept.endsMillis <= endsMillis + CLOCK_TOLERANCE_MILLIS;
  return stillRuns ? kept : { points: 0, endsMillis };
}

/** The refusal by the full window that lasts longest; undefined if no window is full. */
function refusalOf(counts: WindowCounts, limits: WindowLimits, nowMillis: number): ReachedLimit | undefined {
  const refusals = windowsOf(limits).flatMap((name) => {
    const [limit, count] = [limits[name], counts[name]];
    if (limit === undefined || !count || count.points < limit) {
      return [];
    }
    const seconds = Math.ceil((count.endsMillis - nowMillis) / 1000);
    const retryAfterSeconds = Math.min(Math.max(1, seconds), WINDOW_SECONDS[name]);
    const resetEpochSeconds = Math.floor(nowMillis / 1000) + retryAfterSeconds;
    return [{ limit, retryAfterSeconds, resetEpochSeconds }];
  });
  return longestOf(refusals);
}

/** The refusal that lasts longest; undefined if there is none. */
export const longestOf = (refusals: readonly ReachedLimit[]): ReachedLimit | undefined =>
  refusals.toSorted((one, another) => another.retryAfterSeconds - one.retryAfterSeconds)[0];

/** Counts in the database: instances share their counts, and so do the commands of operators. */
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
  refusal: ReachedLimit | undefined;
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

  async check(key: string): Promise<LimitCheck> {
    const fullKey = this.#fullKey(key);
    const seen = this.#currentOf(await this.attempts.read(fullKey));
    return { refusal: seen.refusal, count: () => this.#count(fullKey, seen) };
  }

  async #count(key: string, seen: Seen): Promise<CountOutcome> {
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

  async forgetAll(person: string): Promise<void> {
    await this.attempts.forgetAll([this.#fullKey(person)]);
  }

  #fullKey(key: string): string {
    return `${this.name}:${key}`;
  }
}
