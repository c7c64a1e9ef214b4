import type { WindowCount, WindowCounts, WindowName } from '../../stores/attempts.ts';

/** The length of each window, in seconds from its first attempt. */
const WINDOW_SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const satisfies Record<
  keyof WindowCounts,
  number
>;

/** The number of attempts that a key has in each window. A window without a number is not counted. */
export type WindowLimits = Partial<Record<WindowName, number>>;

/** Why an attempt was refused: the limit that was reached, and how long it lasts. */
export interface Refusal {
  limit: number;
  retryAfterSeconds: number;
  /** When the limit ends, in seconds since the epoch. */
  resetEpochSeconds: number;
}

/** The clocks of instances differ by less than this. */
const CLOCK_TOLERANCE_MILLIS = 60_000;

const windowMillis = (name: WindowName): number => WINDOW_SECONDS[name] * 1000;

/** The windows that have a limit, the shortest first. */
export const windowsOf = (limits: WindowLimits): WindowName[] =>
  (Object.keys(WINDOW_SECONDS) as WindowName[]).filter((name) => limits[name] !== undefined);

/**
 * The current counts of a key: the kept ones of windows that go on, and new ones for windows that are over.
 * @param kept counts that still apply are returned as the same objects
 */
export function currentCounts(
  kept: WindowCounts | undefined,
  limits: WindowLimits,
  nowMillis: number,
): WindowCounts {
  return Object.fromEntries(
    windowsOf(limits).map((name) => [name, currentOf(kept?.[name], name, nowMillis)]),
  );
}

/**
 * If a window ends later than its length from now, the clock was set back. The window then begins anew, so that callers
 * need not wait until the clock has caught up.
 */
function currentOf(kept: WindowCount | undefined, name: WindowName, nowMillis: number): WindowCount {
  const endsMillis = nowMillis + windowMillis(name);
  const goesOn =
    kept && kept.endsMillis > nowMillis && kept.endsMillis <= endsMillis + CLOCK_TOLERANCE_MILLIS;
  return goesOn ? kept : { points: 0, endsMillis };
}

/** The refusal by the full window that lasts longest; undefined if all windows have room. */
export function refusalOf(
  counts: WindowCounts,
  limits: WindowLimits,
  nowMillis: number,
): Refusal | undefined {
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
export const longestOf = (refusals: readonly Refusal[]): Refusal | undefined =>
  refusals.toSorted((one, another) => another.retryAfterSeconds - one.retryAfterSeconds)[0];
