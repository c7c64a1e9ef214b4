import { Long, ObjectId, Timestamp } from 'bson';
import { locationError, mongoError } from '../../base/errors.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { formatDate, ISO_FORMAT } from './date-format.ts';
import { isNullish, onValues } from './operands.ts';
import { UTC } from './time-zones.ts';

const MAX_DATE_MILLIS = 8.52e15;

export const CONVERSIONS: Record<string, OperatorCompiler> = {
  $toDate: onOne((value) => toDate(value)),
  $toString: onOne((value) => toText(value)),
};

/** A conversion of one value. Null and a missing value give null. */
function onOne(convert: (value: unknown) => unknown): OperatorCompiler {
  const compile = onValues(([value]) => (isNullish(value) ? null : convert(value)));
  return (operand, context, name) => {
    if (Array.isArray(operand) && operand.length !== 1) {
      throw locationError(50723, `${name} requires a single argument, got ${operand.length}`);
    }
    return compile(operand, context, name);
  };
}

const NO_TEXT = new Set(['array', 'object', 'regex', 'minKey', 'maxKey', 'dbPointer', 'javascriptWithScope']);

function toText(value: unknown): string {
  if (value instanceof ObjectId || typeof value === 'boolean') {
    return value.toString();
  }
  const type = bsonTypeName(value);
  if (NO_TEXT.has(type)) {
    throw mongoError('ConversionFailure', `Unsupported conversion from ${type} to string in $convert`);
  }
  return textOf(value);
}

const NO_DATE = new Set(['array', 'object', 'regex', 'minKey', 'maxKey', 'int', 'bool', 'binData']);

function toDate(value: unknown): Date {
  const type = bsonTypeName(value);
  if (NO_DATE.has(type)) {
    throw mongoError('ConversionFailure', `Unsupported conversion from ${type} to date in $convert`);
  }
  if (value instanceof Long && !(value instanceof Timestamp)) {
    return checked(new Date(value.toNumber()));
  }
  if (type === 'date' || type === 'timestamp' || type === 'objectId') {
    return dateOf(value);
  }
  throw notImplemented(`the conversion of a ${type} into a date`);
}

/** A value in the way of MongoDB's operators on strings (Value::coerceToString). */
export function textOf(value: unknown): string {
  if (typeof value === 'string' || isNullish(value)) {
    return value ?? '';
  }
  const type = bsonTypeName(value);
  switch (type) {
    case 'int':
    case 'long':
      return String(value);
    case 'date':
      return formatDate(dateOf(value), ISO_FORMAT, UTC);
    case 'double':
    case 'decimal':
    case 'timestamp':
    case 'symbol':
    case 'javascript':
      throw notImplemented(`the text of a ${type}`);
    default:
      throw locationError(16007, `can't convert from BSON type ${type} to String`);
  }
}

/** A value as a date (Value::coerceToDate): ObjectIds and timestamps have one. */
export function dateOf(value: unknown): Date {
  if (value instanceof Date) {
    return checked(value);
  }
  if (value instanceof Timestamp) {
    return new Date(value.t * 1000);
  }
  if (value instanceof ObjectId) {
    // MongoDB reads the seconds as a signed number.
    return new Date(((value.getTimestamp().getTime() / 1000) | 0) * 1000);
  }
  throw locationError(16006, `can't convert from BSON type ${bsonTypeName(value)} to Date`);
}

/** BSON has dates that JavaScript has not. The first and last years of JavaScript have no whole year around them. */
function checked(date: Date): Date {
  if (Math.abs(date.getTime()) <= MAX_DATE_MILLIS) {
    return date;
  }
  throw notImplemented('a date more than 270,000 years away');
}

function notImplemented(what: string) {
  return mongoError('NotImplemented', `${what} is not implemented by the embedded engine`);
}
