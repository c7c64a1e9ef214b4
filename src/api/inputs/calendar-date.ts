const FORMAT = /^\d{4}-\d\d-\d\d$/;

/** True for a day of the calendar, `YYYY-MM-DD`. There is no 30 February. */
export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || !FORMAT.test(value)) {
    return false;
  }
  const midnight = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(value);
}

/** The farthest time zone, in which a day begins first (UTC+14). */
const FIRST_ZONE_MILLIS = 14 * 3_600_000;

/**
 * The date of today in the time zone where it is the latest. A day that has begun anywhere is not in the future.
 * @param nowMillis since the epoch
 */
export const latestToday = (nowMillis: number): string =>
  new Date(nowMillis + FIRST_ZONE_MILLIS).toISOString().slice(0, 10);
