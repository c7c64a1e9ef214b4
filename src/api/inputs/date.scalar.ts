import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { isCalendarDate } from '../../system/calendar.ts';

/**
 * A day of the calendar as a text. GraphQLDate of graphql-scalars is a JavaScript Date, a moment in time, which is another
 * day in another time zone.
 */
export const DateScalar = new GraphQLScalarType<string, string>({
  name: 'Date',
  description: 'A day of the calendar without a time zone: `YYYY-MM-DD`. A time after it is ignored.',
  parseValue: parse,
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined),
  serialize: String,
});

/** The error names no value: that of GraphQLLocalDate of graphql-scalars would quote it. */
function parse(value: unknown): string {
  const day = dayOf(value);
  if (!isCalendarDate(day)) {
    throw new GraphQLError('Date must be a day of the calendar, YYYY-MM-DD.');
  }
  return day;
}

/** A day with a time of ISO 8601, with a blank or a T between them, and perhaps with a zone. */
const WITH_TIME = /^(\d{4}-\d\d-\d\d)[T ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z| ?[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * The day in front of a time, as programs send it that have only moments in time: the day that the person has chosen, whatever
 * time and zone follow. Any other value stays as it is.
 */
export const dayOf = (value: unknown): unknown =>
  (typeof value === 'string' && WITH_TIME.exec(value)?.[1]) || value;

/** The first time zone in which a day begins (UTC+14). */
const FIRST_ZONE_MILLIS = 14 * 3_600_000;

/**
 * Today's date in the time zone where it is the latest. A day that has begun anywhere is not in the future.
 * @param nowMillis since the epoch
 */
export const latestToday = (nowMillis: number): string =>
  new Date(nowMillis + FIRST_ZONE_MILLIS).toISOString().slice(0, 10);
