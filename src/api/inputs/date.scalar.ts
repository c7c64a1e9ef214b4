import { GraphQLError, GraphQLScalarType, Kind } from 'graphql';
import { isCalendarDate } from './calendar-date.ts';

/** Names no value: GraphQLLocalDate of graphql-scalars would quote it in its errors. */
const mustBeDate = () => new GraphQLError('Date must be a day of the calendar, YYYY-MM-DD.');

function parse(value: unknown): string {
  if (!isCalendarDate(value)) {
    throw mustBeDate();
  }
  return value;
}

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
