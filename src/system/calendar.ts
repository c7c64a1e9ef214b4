/** A day of the calendar in milliseconds, without a change of the clocks. */
export const DAY_MILLIS = 86_400_000;

const FORMAT = /^\d{4}-\d\d-\d\d$/;

/** True for a day of the calendar, `YYYY-MM-DD`. There is no 30 February. */
export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || !FORMAT.test(value)) {
    return false;
  }
  const midnight = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(value);
}

/** The day so many days after another one, both `YYYY-MM-DD`. */
export const dayAfter = (day: string, days = 1): string =>
  new Date(Date.parse(day) + days * DAY_MILLIS).toISOString().slice(0, 10);

/** The day of a moment in a zone, `YYYY-MM-DD`. */
export const dayAt = (nowMillis: number, timeZone: string): string =>
  new Date(nowMillis + offsetsOf(timeZone)(nowMillis)).toISOString().slice(0, 10);

/**
 * The first moment after a day in a zone, also where the clocks change at midnight.
 * @param day of the calendar, `YYYY-MM-DD`
 */
export function endOfDay(day: string, timeZone: string): Date {
  const offsetAt = offsetsOf(timeZone);
  const midnight = Date.parse(day) + DAY_MILLIS;
  // The offset may change in that night: only one of the two leads to a time that is not on the day any more.
  const moments = [midnight - DAY_MILLIS, midnight + DAY_MILLIS].map((near) => midnight - offsetAt(near));
  return new Date(Math.min(...moments.filter((moment) => moment + offsetAt(moment) >= midnight)));
}

const MINUTE_MILLIS = 60_000;

/** Offsets of a zone change at quarters of an hour. */
const BUCKET_MILLIS = 15 * MINUTE_MILLIS;
const MAX_BUCKETS = 100_000;

/**
 * The offset of a zone from UTC at a moment, both in milliseconds.
 * @param timeZone a name of the IANA, or an offset such as `+02:00`
 * @throws RangeError for an unknown zone
 */
export function offsetsOf(timeZone: string): (moment: number) => number {
  if (/^(?:UTC|Z|\+00:00)$/i.test(timeZone)) {
    return () => 0;
  }
  // Node.js knows such names from version 22 on.
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(timeZone) ?? [];
  if (sign !== undefined) {
    const offset = (60 * Number(hours) + Number(minutes)) * MINUTE_MILLIS;
    return () => (sign === '-' ? -offset : offset);
  }
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const known = new Map<number, number>();
  return (moment) => {
    const bucket = Math.floor(moment / BUCKET_MILLIS);
    const cached = known.get(bucket);
    if (cached !== undefined) {
      return cached;
    }
    if (known.size >= MAX_BUCKETS) {
      known.clear();
    }
    const offset = offsetOf(format, bucket * BUCKET_MILLIS);
    known.set(bucket, offset);
    return offset;
  };
}

function offsetOf(format: Intl.DateTimeFormat, moment: number): number {
  const parts = Object.fromEntries(
    format.formatToParts(moment).map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - moment;
}
