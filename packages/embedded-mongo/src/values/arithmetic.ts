import { Decimal128, Double, Long } from 'bson';
import { mongoError, notImplemented } from '../base/errors.ts';
import { addDecimals, multiplyDecimals } from './decimal.ts';
import type { BsonNumber } from './numbers.ts';
import { isInt32 } from './types.ts';

/** The types of numbers. The result of an operation has the last of the types of its operands. */
const KINDS = ['int', 'long', 'double', 'decimal'] as const;

export type NumberKind = (typeof KINDS)[number];

/** One operation in each of the types of numbers. */
interface Operation {
  integers(a: bigint, b: bigint): bigint;
  doubles(a: number, b: number): number;
  decimals(a: Decimal128, b: Decimal128): Decimal128;
}

export const SUM: Operation = { integers: (a, b) => a + b, doubles: (a, b) => a + b, decimals: addDecimals };
export const DIFFERENCE: Operation = {
  integers: (a, b) => a - b,
  doubles: (a, b) => a - b,
  decimals: (a, b) => addDecimals(a, multiplyDecimals(b, Decimal128.fromString('-1'))),
};
export const PRODUCT: Operation = {
  integers: (a, b) => a * b,
  doubles: (a, b) => a * b,
  decimals: multiplyDecimals,
};
/** Callers refuse decimals. */
export const REMAINDER: Operation = { ...SUM, integers: (a, b) => a % b, doubles: (a, b) => a % b };

/**
 * The result of an expression, from the first number to the last. Ints that overflow become longs, longs doubles, and doubles
 * never integers again (src/mongo/db/exec/expression/evaluate_math.cpp).
 */
export function calculate(operation: Operation, [first = 0, ...others]: readonly BsonNumber[]): BsonNumber {
  let kind = kindOf(first);
  let double = Number(first);
  let integer = kind === 'int' || kind === 'long' ? toBigInt(first) : 0n;
  let decimal = first;
  const result = () => (kind === 'decimal' ? decimal : typed(kind, integer, double));
  for (const value of others) {
    const wider = widerKind(kind, kindOf(value));
    decimal = wider === 'decimal' ? operation.decimals(asDecimal(result()), asDecimal(value)) : decimal;
    kind = wider;
    double = operation.doubles(double, Number(value));
    if (kind === 'double' || kind === 'decimal') {
      continue;
    }
    integer = operation.integers(integer, toBigInt(value));
    if (!isInt64(integer)) {
      kind = 'double';
    } else if (operation !== PRODUCT) {
      // MongoDB turns the exact sum into a double, but multiplies doubles from the beginning.
      double = Number(integer);
    }
  }
  return result();
}

/** The sum of an update: longs that overflow are an error (2). */
export const add = exactly(SUM);

/** The product of an update, with the types of a sum. */
export const multiply = exactly(PRODUCT);

function exactly(operation: Operation) {
  return (a: BsonNumber, b: BsonNumber): BsonNumber => {
    const result = calculate(operation, [a, b]);
    if (kindOf(result) === 'double' && KINDS.indexOf(widerKind(kindOf(a), kindOf(b))) < 2) {
      throw mongoError('BadValue', `integer overflow: ${a} and ${b}`);
    }
    return result;
  };
}

function typed(kind: NumberKind, integer: bigint, double: number): BsonNumber {
  if (kind === 'double') {
    return asDouble(double);
  }
  return kind === 'long' ? Long.fromBigInt(integer) : asInteger(integer);
}

/** A double in the form that `decode` gives: wrapped if BSON would write a plain number as an int. */
export function asDouble(value: number): number | Double {
  return isInt32(value) ? new Double(value) : value;
}

/** An integer of 64 bits as an int if it fits, else as a long. */
export function asInteger(value: bigint): number | Long {
  return BigInt.asIntN(32, value) === value ? Number(value) : Long.fromBigInt(value);
}

export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** The exact value of an int or a long. */
export function toBigInt(value: BsonNumber): bigint {
  return BigInt(value.toString());
}

export function kindOf(value: BsonNumber): NumberKind {
  if (typeof value === 'number') {
    return isInt32(value) ? 'int' : 'double';
  }
  if (value instanceof Decimal128) {
    return 'decimal';
  }
  return value instanceof Double ? 'double' : 'long';
}

/** The type that holds the result of an operation on numbers of two types. */
export function widerKind(a: NumberKind, b: NumberKind): NumberKind {
  return KINDS.indexOf(a) > KINDS.indexOf(b) ? a : b;
}

/** A number as a decimal. Of a double, MongoDB takes 15 significant digits (src/mongo/platform/decimal128.h). */
export function asDecimal(value: BsonNumber): Decimal128 {
  if (kindOf(value) !== 'double' || Number(value) === 0) {
    return Decimal128.fromString(Object.is(Number(value), -0) ? '-0' : value.toString());
  }
  const exact = Number(value).toPrecision(100);
  if (
    /^50*$/.test(
      exact
        .replace(/e.*|\D/g, '')
        .replace(/^0+/, '')
        .slice(15),
    )
  ) {
    // JavaScript rounds ties up, MongoDB to even.
    throw notImplemented('arithmetic on a Decimal128 and a double half-way between two numbers of 15 digits');
  }
  return Decimal128.fromString(Number(value).toPrecision(15));
}
