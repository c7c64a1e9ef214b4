import { type Document, Long } from 'bson';
import { locationError } from '../../base/errors.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { isDocument } from '../../values/types.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler, Variables } from '../evaluate.ts';
import { dateOf } from './conversions.ts';
import { checkFormat, type DatePart, formatDate, ISO_FORMAT, localTime, PARTS } from './date-format.ts';
import { documentOf, isNullish, parametersOf } from './operands.ts';
import { type TimeZone, timeZone, UTC } from './time-zones.ts';

/** `$year` and its siblings are ints, but `$isoWeekYear` is a long. */
export const DATES: Record<string, OperatorCompiler> = {
  ...Object.fromEntries(Object.entries(PARTS).map(([name, part]) => [`$${name}`, datePart(part)])),
  $isoWeekYear: datePart((local) => Long.fromNumber(PARTS.isoWeekYear(local))),
  $dateToString: compileDateToString,
};

function datePart(part: (local: Date) => ReturnType<DatePart> | Long): OperatorCompiler {
  return (operand, context, name) => {
    const [date, timezone] = partOperands(operand, name);
    const evaluate = context.compile(date);
    const zoneOf = zoneOperand(timezone, context);
    return (document, variables) => {
      const value = evaluate(document, variables);
      if (isNullish(value)) {
        return null;
      }
      const instant = dateOf(value);
      const zone = zoneOf(document, variables);
      return zone && part(localTime(instant, zone));
    };
  };
}

/** A date, a list of one date, or `{ date, timezone }`. */
function partOperands(operand: unknown, name: string): unknown[] {
  if (isDocument(operand) && !Object.keys(operand)[0]?.startsWith('$')) {
    return parametersOf(operand, 40535, [['date', 40539], ['timezone']]);
  }
  if (!Array.isArray(operand)) {
    return [operand];
  }
  if (operand.length !== 1) {
    throw locationError(
      40536,
      `${name} accepts exactly one argument if given an array, but was given ${operand.length}`,
    );
  }
  return operand;
}

/** Gives the time zone, or null for null and a missing value. A constant one is checked at once, as in MongoDB. */
function zoneOperand(expression: unknown, context: ExpressionContext) {
  if (expression === undefined) {
    return () => UTC;
  }
  if (typeof expression === 'string' && !expression.startsWith('$')) {
    const zone = timeZone(expression);
    return () => zone;
  }
  const evaluate = context.compile(expression);
  return (document: Document, variables: Variables): TimeZone | null => {
    const value = evaluate(document, variables);
    if (isNullish(value)) {
      return null;
    }
    if (typeof value !== 'string') {
      throw locationError(40517, `timezone must evaluate to a string, found ${bsonTypeName(value)}`);
    }
    return timeZone(value);
  };
}

/** A null date has priority over a null time zone and a null format; wrong ones are errors in any case. */
function compileDateToString(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const given = documentOf(operand, name, 18629);
  const [date, format, timezone, onNull = null] = parametersOf(given, 18534, [
    ['date', 18628],
    ['format'],
    ['timezone'],
    ['onNull'],
  ]);
  const evaluate = context.compile(date);
  const formatOf = format === undefined ? defaultFormat : formatOperand(format, context);
  const zoneOf = zoneOperand(timezone, context);
  const otherwise = context.compile(onNull);
  return (document, variables) => {
    const value = evaluate(document, variables);
    const text = formatOf(document, variables);
    const zone = zoneOf(document, variables);
    if (isNullish(value)) {
      return otherwise(document, variables);
    }
    if (!zone || text === null) {
      return null;
    }
    return formatDate(dateOf(value), text ?? (zone.isUtc ? ISO_FORMAT : ISO_FORMAT.slice(0, -1)), zone);
  };
}

function defaultFormat(): undefined {
  return undefined;
}

/** Gives a checked format, or null for null and a missing value. */
function formatOperand(expression: unknown, context: ExpressionContext) {
  const evaluate = context.compile(expression);
  return (document: Document, variables: Variables): string | null => {
    const value = evaluate(document, variables);
    if (isNullish(value)) {
      return null;
    }
    if (typeof value !== 'string') {
      throw locationError(
        18533,
        `$dateToString requires that 'format' be a string, found: ${bsonTypeName(value)}`,
      );
    }
    checkFormat(value);
    return value;
  };
}
