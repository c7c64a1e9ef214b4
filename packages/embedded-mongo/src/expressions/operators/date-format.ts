import { locationError } from '../../base/errors.ts';
import type { TimeZone } from './time-zones.ts';

const DAY_MILLIS = 86_400_000;

/** The default format of dates in UTC. Other time zones have it without the Z. */
export const ISO_FORMAT = '%Y-%m-%dT%H:%M:%S.%LZ';

/** A part of a date. Its argument is local time in the fields of UTC (see `localTime`). */
export type DatePart = (local: Date) => number;

export const PARTS = {
  year: (local) => local.getUTCFullYear(),
  month: (local) => local.getUTCMonth() + 1,
  dayOfMonth: (local) => local.getUTCDate(),
  hour: (local) => local.getUTCHours(),
  minute: (local) => local.getUTCMinutes(),
  second: (local) => local.getUTCSeconds(),
  millisecond: (local) => local.getUTCMilliseconds(),
  dayOfYear: (local) => daysSinceNewYear(local) + 1,
  /** From 1, Sunday. */
  dayOfWeek: (local) => local.getUTCDay() + 1,
  /** From 1, Monday. */
  isoDayOfWeek: (local) => local.getUTCDay() || 7,
  /** Weeks begin on Sunday. The days before the first Sunday are week 0. */
  week: (local) => Math.floor((daysSinceNewYear(local) + 7 - local.getUTCDay()) / 7),
  isoWeek: (local) => Math.floor(daysSinceNewYear(thursdayOf(local)) / 7) + 1,
  isoWeekYear: (local) => thursdayOf(local).getUTCFullYear(),
} satisfies Record<string, DatePart>;

/** The ISO week and its year are those of its Thursday. */
function thursdayOf(local: Date): Date {
  return new Date(local.getTime() + (4 - PARTS.isoDayOfWeek(local)) * DAY_MILLIS);
}

function daysSinceNewYear(local: Date): number {
  // Date.UTC would read the years 0 to 99 as 1900 to 1999.
  const newYear = new Date(0).setUTCFullYear(local.getUTCFullYear(), 0, 1);
  return Math.floor((local.getTime() - newYear) / DAY_MILLIS);
}

/** The local time of a date, in the fields that a JavaScript date has for UTC. */
export function localTime(date: Date, zone: TimeZone): Date {
  return new Date(date.getTime() + zone.offsetAt(date));
}

/** The specifiers that are a number, with its digits. */
const NUMBERS: Record<string, readonly [DatePart, number]> = {
  Y: [PARTS.year, 4],
  m: [PARTS.month, 2],
  d: [PARTS.dayOfMonth, 2],
  H: [PARTS.hour, 2],
  M: [PARTS.minute, 2],
  S: [PARTS.second, 2],
  L: [PARTS.millisecond, 3],
  j: [PARTS.dayOfYear, 3],
  w: [PARTS.dayOfWeek, 1],
  u: [PARTS.isoDayOfWeek, 1],
  U: [PARTS.week, 2],
  V: [PARTS.isoWeek, 2],
  G: [PARTS.isoWeekYear, 4],
};

const MONTHS = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** The other specifiers. The offset is in milliseconds. */
const TEXTS: Record<string, (local: Date, offset: number) => string> = {
  '%': () => '%',
  B: monthName,
  b: (local) => monthName(local).slice(0, 3),
  z: (_, offset) => {
    const minutes = Math.trunc(Math.abs(offset) / 60_000);
    return `${offset < 0 ? '-' : '+'}${padded(Math.trunc(minutes / 60), 2)}${padded(minutes % 60, 2)}`;
  },
  // Without a plus sign, and never -0.
  Z: (_, offset) => String(Math.trunc(offset / 60_000) + 0),
};

function monthName(local: Date): string {
  return MONTHS[local.getUTCMonth()] as string;
}

const SPECIFIER = /%(.?)/gsu;

/** Checks a format. Throws 18535 for a percent sign at its end, 18536 for an unknown specifier. */
export function checkFormat(format: string): void {
  for (const [, letter = ''] of format.matchAll(SPECIFIER)) {
    if (letter === '') {
      throw locationError(18535, "Unmatched '%' at end of format string");
    }
    if (!Object.hasOwn(NUMBERS, letter) && !Object.hasOwn(TEXTS, letter)) {
      throw locationError(18536, `Invalid format character '%${letter}' in format string`);
    }
  }
}

/** A date as text. `checkFormat` accepted the format. Throws 18537 for a year outside 0 to 9999. */
export function formatDate(date: Date, format: string, zone: TimeZone): string {
  const offset = zone.offsetAt(date);
  const local = localTime(date, zone);
  return format.replace(SPECIFIER, (_, letter: string) => {
    const [part, digits] = NUMBERS[letter] ?? [];
    return part ? padded(part(local), digits as number) : (TEXTS[letter]?.(local, offset) ?? '');
  });
}

function padded(number: number, digits: number): string {
  if (number < 0 || number > 9999) {
    throw locationError(18537, `date component was outside the supported range of 0-9999: ${number}`);
  }
  return String(number).padStart(digits, '0');
}
