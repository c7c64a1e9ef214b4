import type { WindowCount, WindowCounts } from '../models/attempt-count.model.ts';

/** How long attempts are counted together, in seconds from the first of them. */
export const WINDOW_SECONDS = { minute: 60, hour: 3_600, day: 86_400 } as const satisfies Record<
  keyof WindowCounts,
  number
>;
export type WindowName = keyof WindowCounts;

/** How many attempts a key has in each window. A window without a number is not counted. */
export type WindowLimits = Partial<Record<WindowName, number>>;

/** Why an attempt was refused: the limit that was reached, and how long it lasts. */
export interface Refusal {
  limit: number;
  retryAfterSeconds: number;
}

/** Clocks of instances may differ, but not by more than this. */
const CLOCK_TOLERANCE_MILLIS = 60_000;

const windowMillis = (name: WindowName): number => WINDOW_SECONDS[name] * 1000;

/** The windows that have a limit, the shortest first. */
export const windowsOf = (limits: WindowLimits): WindowName[] =>
  (Object.keys(WINDOW_SECONDS) as WindowName[]).filter((name) => limits[name] !== undefined);

/**
 * The counts of a key as they are now: those kept whose window goes on, and new ones for windows that are over.
 * @param kept the same objects are returned where they still count
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
 * A window that ends much later than its length from now was begun before the clock was set back, and is begun anew:
 * nobody waits until the clock is where it was.
 */
function currentOf(kept: WindowCount | undefined, name: WindowName, nowMillis: number): WindowCount {
  const endsMillis = nowMillis + windowMillis(name);
  const goesOn =
    kept && kept.endsMillis > nowMillis && kept.endsMillis <= endsMillis + CLOCK_TOLERANCE_MILLIS;
  return goesOn ? kept : { points: 0, endsMillis };
}

/** The full window that lasts longest; undefined when there is room in all of them. */
export function refusalOf(
  counts: WindowCounts,
  limits: WindowLimits,
  nowMillis: number,
): Refusal | undefined {
  const refusals = windowsOf(limits).flatMap((name) => {
    const [limit, count] = [limits[name], counts[name]];
    if (limit === undefined || !count || count.points < limit) return [];
    const seconds = Math.ceil((count.endsMillis - nowMillis) / 1000);
    return [{ limit, retryAfterSeconds: Math.min(Math.max(1, seconds), WINDOW_SECONDS[name]) }];
  });
  return longestOf(refusals);
}

/** The refusal that lasts longest; undefined where there is none. */
export const longestOf = (refusals: readonly Refusal[]): Refusal | undefined =>
  refusals.toSorted((one, another) => another.retryAfterSeconds - one.retryAfterSeconds)[0];
