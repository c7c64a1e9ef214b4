import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';

/**
 * A day of the calendar as a text. GraphQLDate of graphql-scalars is a JavaScript Date, a moment in time, which is another
 * day in another time zone.
 */
export const DateScalar = new GraphQLScalarType<string, string>({
  name: 'Date',
  description: 'A day of the calendar without a time zone: `YYYY-MM-DD`.',
  parseValue: parse,
  parseLiteral: (node) => parse(node.kind === Kind.STRING ? node.value : undefined),
  serialize: String,
});

/** The error names no value: that of GraphQLLocalDate of graphql-scalars would quote it. */
function parse(value: unknown): string {
  if (!isCalendarDate(value)) {
    throw new GraphQLError('Date must be a day of the calendar, YYYY-MM-DD.');
  }
  return value;
}

const FORMAT = /^\d{4}-\d\d-\d\d$/;

/** True for a day of the calendar, `YYYY-MM-DD`. There is no 30 February. */
export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || !FORMAT.test(value)) {
    return false;
  }
  const midnight = new Date(`${value}T00:00:00Z`);
  return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(value);
}

/** The first time zone in which a day begins (UTC+14). */
const FIRST_ZONE_MILLIS = 14 * 3_600_000;

/**
 * Today's date in the time zone where it is the latest. A day that has begun anywhere is not in the future.
 * @param nowMillis since the epoch
 */
export const latestToday = (nowMillis: number): string =>
  new Date(nowMillis + FIRST_ZONE_MILLIS).toISOString().slice(0, 10);
