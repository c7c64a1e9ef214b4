import { ObjectId, Timestamp } from 'bson';
import { demand, notImplemented } from '../../base/errors.ts';
import { isDocument } from '../../values/types.ts';
import type { Evaluate, ExpressionContext, OperatorCompiler } from '../evaluate.ts';
import { demandType, documentOf, isNullish, parametersOf } from './operands.ts';

/** A part of a date. Its argument is local time, in the fields that a JavaScript date has for UTC. */
type DatePart = (local: Date) => number;

const PARTS = {
  $year: (local) => local.getUTCFullYear(),
  $month: (local) => local.getUTCMonth() + 1,
  $dayOfMonth: (local) => local.getUTCDate(),
  /** From 1, Sunday. */
  $dayOfWeek: (local) => local.getUTCDay() + 1,
  /** From 1, Monday. */
  $isoDayOfWeek: (local) => local.getUTCDay() || 7,
  $hour: (local) => local.getUTCHours(),
  $minute: (local) => local.getUTCMinutes(),
  $second: (local) => local.getUTCSeconds(),
  $millisecond: (local) => local.getUTCMilliseconds(),
} satisfies Record<string, DatePart>;

export const DATES: Record<string, OperatorCompiler> = {
  ...Object.fromEntries(Object.entries(PARTS).map(([name, part]) => [name, datePart(part)])),
  $dateToString: compileDateToString,
};

/** The specifiers of `$dateToString` that are a number, with its digits. */
const NUMBERS: Record<string, readonly [DatePart, number]> = {
  Y: [PARTS.$year, 4],
  m: [PARTS.$month, 2],
  d: [PARTS.$dayOfMonth, 2],
  H: [PARTS.$hour, 2],
  M: [PARTS.$minute, 2],
  S: [PARTS.$second, 2],
  L: [PARTS.$millisecond, 3],
  w: [PARTS.$dayOfWeek, 1],
  u: [PARTS.$isoDayOfWeek, 1],
};

/** A date, a list of one date, or `{ date, timezone }`. */
function datePart(part: DatePart): OperatorCompiler {
  return (operand, context, name) => {
    const isNamed = isDocument(operand) && !Object.keys(operand)[0]?.startsWith('$');
    const listed = Array.isArray(operand) ? operand : [operand];
    demand(listed.length === 1, 40536, `${name} accepts exactly one argument`);
    const [date, zone] = isNamed ? parametersOf(operand, 40535, [['date', 40539], ['timezone']]) : listed;
    const evaluate = context.compile(date);
    const offset = offsetOf(zone);
    return (document, variables) => {
      const value = evaluate(document, variables);
      return isNullish(value) ? null : part(localTime(value, offset));
    };
  };
}

function compileDateToString(operand: unknown, context: ExpressionContext, name: string): Evaluate {
  const [date, format, zone, onNull = null] = parametersOf(documentOf(operand, name, 18629), 18534, [
    ['date', 18628],
    ['format'],
    ['timezone'],
    ['onNull'],
  ]);
  const evaluate = context.compile(date);
  const otherwise = context.compile(onNull);
  const offset = offsetOf(zone);
  const pattern = format === undefined ? `%Y-%m-%dT%H:%M:%S.%L${offset ? '' : 'Z'}` : checkedFormat(format);
  return (document, variables) => {
    const value = evaluate(document, variables);
    return isNullish(value) ? otherwise(document, variables) : formatted(value, pattern, offset);
  };
}

/** The minutes of UTC, `+hh`, `+hhmm` or `+hh:mm`. Names of places would need the history of their time. */
function offsetOf(zone: unknown): number {
  if (zone === undefined || zone === 'UTC') {
    return 0;
  }
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d)(?::?(\d\d))?$/.exec(String(zone)) ?? [];
  if (typeof zone !== 'string' || hours === undefined) {
    throw notImplemented('a time zone other than UTC and a constant offset');
  }
  return (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
}

function checkedFormat(format: unknown): string {
  if (typeof format !== 'string' || format.startsWith('$')) {
    throw notImplemented('a format of $dateToString that is not a constant string');
  }
  for (const [, letter = ''] of format.matchAll(/%(.?)/gsu)) {
    demand(letter !== '', 18535, "Unmatched '%' at end of format string");
    if ('jUVGbB'.includes(letter)) {
      throw notImplemented(`%${letter} in a format of $dateToString`);
    }
    const isKnown = Object.hasOwn(NUMBERS, letter) || '%zZ'.includes(letter);
    demand(isKnown, 18536, `Invalid format character '%${letter}' in format string`);
  }
  return format;
}

function formatted(value: unknown, format: string, offset: number): string {
  const local = localTime(value, offset);
  const minutes = Math.abs(offset);
  const zone = `${offset < 0 ? '-' : '+'}${padded(Math.trunc(minutes / 60), 2)}${padded(minutes % 60, 2)}`;
  const texts: Record<string, string> = { '%': '%', z: zone, Z: String(offset) };
  return format.replace(/%(.)/gsu, (_, letter: string) => {
    const [part, digits = 0] = NUMBERS[letter] ?? [];
    return part ? padded(part(local), digits) : (texts[letter] as string);
  });
}

function padded(number: number, digits: number): string {
  demand(number >= 0 && number <= 9999, 18537, `${number} is outside the supported range of 0-9999`);
  return String(number).padStart(digits, '0');
}

function localTime(value: unknown, offset: number): Date {
  if (value instanceof Timestamp) {
    throw notImplemented('the date of a timestamp');
  }
  // MongoDB reads the seconds of an ObjectId as a signed number.
  const date =
    value instanceof ObjectId ? new Date(((value.getTimestamp().getTime() / 1000) | 0) * 1000) : value;
  demandType(date instanceof Date, 16006, "can't convert to Date", value);
  return dateOfMillis(dateOfMillis(date.getTime()).getTime() + offset * 60_000);
}

/** A date by its milliseconds. BSON has dates that JavaScript does not have, and MongoDB rounds parts of a millisecond. */
export function dateOfMillis(millis: number): Date {
  const date = new Date(millis);
  if (!Number.isInteger(millis) || Number.isNaN(date.getTime())) {
    throw notImplemented('a date more than 270,000 years away or a part of a millisecond');
  }
  return date;
}
