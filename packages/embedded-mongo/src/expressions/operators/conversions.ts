import { Binary, Decimal128, Double, Long, ObjectId, Timestamp } from 'bson';
import { demand, mongoError, notImplemented, refuse } from '../../base/errors.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { demandNoOperands, isNullish, onExactly } from './operands.ts';

/** Operators that make a value of another type, or out of nothing. */
export const CONVERSIONS: Record<string, OperatorCompiler> = {
  $toString: (operand, context, name) => {
    demand(!Array.isArray(operand) || operand.length === 1, 50723, `${name} requires a single argument`);
    return onExactly(1, ([value]) => (isNullish(value) ? null : textOf(value)))(operand, context, name);
  },
  $rand: (operand, context, name) => {
    demandNoOperands(operand, name);
    // It has another value for each document, as if it used the document: a constant would be computed once.
    context.compile('$$ROOT');
    return () => new Double(Math.random());
  },
};

/** The text of a value (src/mongo/db/exec/expression/evaluate_convert.cpp). Throws ConversionFailure (241) for a type without one. */
function textOf(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  if (typeof value === 'boolean' || value instanceof Long || value instanceof ObjectId) {
    return value.toString();
  }
  if (typeof value === 'number' || value instanceof Double) {
    return textOfNumber(Number(value));
  }
  if (value instanceof Date) {
    const year = value.getUTCFullYear();
    refuse(year < 0 || year > 9999, '$toString of a date beyond the years 0 to 9999');
    return value.toISOString();
  }
  if (value instanceof Decimal128 || value instanceof Binary || value instanceof Timestamp) {
    throw notImplemented(`$toString of a value of type ${bsonTypeName(value)}`);
  }
  const types = `${bsonTypeName(value)} to string`;
  throw mongoError(
    'ConversionFailure',
    `Unsupported conversion from ${types} in $convert with no onError value`,
  );
}

/** Where the shortest text and that of 16 digits differ, or would have an exponent, MongoDB's own rule is not known well enough. */
function textOfNumber(number: number): string {
  const text = String(number);
  const magnitude = Math.abs(number);
  const isPlain = number === 0 || (magnitude >= 1e-4 && magnitude < 1e15);
  const isShort = Number.isFinite(number) && Number(number.toPrecision(15)) === number;
  refuse(
    !isPlain || !isShort || Object.is(number, -0) || trimmed(number) !== text,
    '$toString of such a double',
  );
  return text;
}

/** As `%.16g` prints it. */
function trimmed(number: number): string {
  const text = number.toPrecision(16);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
