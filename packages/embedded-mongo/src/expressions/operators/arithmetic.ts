import { Long } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { add, asDouble, multiply } from '../../values/arithmetic.ts';
import { type BsonNumber, isNumeric } from '../../values/numbers.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { isNullish, onExactly, onValues } from './operands.ts';

export const ARITHMETIC: Record<string, OperatorCompiler> = {
  $add: onValues((values) => sum(values)),
  $multiply: onValues((values) =>
    values.some(isNullish) ? null : values.map((value) => numeric('$multiply', value)).reduce(multiply, 1),
  ),
  $subtract: onExactly(2, ([a, b]) => subtract(a, b)),
  $divide: onExactly(2, ([a, b]) => divide(a, b)),
};

function sum(values: unknown[]): unknown {
  if (values.some(isNullish)) {
    return null;
  }
  const date = values.find((value) => value instanceof Date);
  if (date instanceof Date) {
    const others = values.filter((value) => value !== date).map((value) => numeric('$add', value));
    return new Date(date.getTime() + Number(others.reduce(add, 0)));
  }
  return values.map((value) => numeric('$add', value)).reduce(add, 0);
}

function numeric(name: string, value: unknown): BsonNumber {
  if (isNumeric(value)) {
    return value;
  }
  throw mongoError('TypeMismatch', `${name} only supports numeric or date types, not ${bsonTypeName(value)}`);
}

function subtract(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) {
    return null;
  }
  if (a instanceof Date && b instanceof Date) {
    return Long.fromNumber(a.getTime() - b.getTime());
  }
  if (a instanceof Date) {
    return new Date(a.getTime() - Number(numeric('$subtract', b)));
  }
  return add(numeric('$subtract', a), multiply(numeric('$subtract', b), -1));
}

function divide(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) {
    return null;
  }
  const divisor = Number(numeric('$divide', b));
  if (divisor === 0) {
    throw mongoError('BadValue', "can't $divide by zero");
  }
  return asDouble(Number(numeric('$divide', a)) / divisor);
}
