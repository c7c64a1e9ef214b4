import { Decimal128, Double, Long } from 'bson';
import { mongoError } from '../base/errors.ts';
import type { BsonNumber } from './numbers.ts';
import { isInt32 } from './types.ts';

type Kind = 'int' | 'long' | 'double' | 'decimal';

const RANK: readonly Kind[] = ['int', 'long', 'double', 'decimal'];

/** The sum, in the wider of the two types. An int that overflows becomes a long; a long that overflows is refused (2). */
export function add(a: BsonNumber, b: BsonNumber): BsonNumber {
  return combine(
    a,
    b,
    (x, y) => x + y,
    (x, y) => x + y,
    addDecimals,
  );
}

/** The product, in the type of a sum. */
export function multiply(a: BsonNumber, b: BsonNumber): BsonNumber {
  return combine(
    a,
    b,
    (x, y) => x * y,
    (x, y) => x * y,
    multiplyDecimals,
  );
}

/** A double in the form that `decode` gives: wrapped if BSON would write a plain number as an int. */
export function asDouble(value: number): number | Double {
  return isInt32(value) ? new Double(value) : value;
}

/** An integer as an int if it fits, else as a long. Throws BadValue (2) beyond 64 bits. */
export function asInteger(value: bigint): number | Long {
  if (BigInt.asIntN(32, value) === value) {
    return Number(value);
  }
  if (BigInt.asIntN(64, value) !== value) {
    throw mongoError('BadValue', `integer overflow: ${value}`);
  }
  return Long.fromBigInt(value);
}

function combine(
  a: BsonNumber,
  b: BsonNumber,
  integers: (a: bigint, b: bigint) => bigint,
  doubles: (a: number, b: number) => number,
  decimals: (a: Decimal, b: Decimal) => Decimal,
): BsonNumber {
  const kind = RANK[Math.max(RANK.indexOf(kindOf(a)), RANK.indexOf(kindOf(b)))];
  if (kind === 'double') {
    return asDouble(doubles(Number(a), Number(b)));
  }
  if (kind === 'decimal') {
    return combineDecimals(a, b, decimals);
  }
  const result = integers(BigInt(a.toString()), BigInt(b.toString()));
  const integer = asInteger(result);
  return kind === 'long' && typeof integer === 'number' ? Long.fromNumber(integer) : integer;
}

function kindOf(value: BsonNumber): Kind {
  if (typeof value === 'number') {
    return isInt32(value) ? 'int' : 'double';
  }
  if (value instanceof Decimal128) {
    return 'decimal';
  }
  return value instanceof Double ? 'double' : 'long';
}

interface Decimal {
  digits: bigint;
  power: number;
}

function combineDecimals(
  a: BsonNumber,
  b: BsonNumber,
  operation: (a: Decimal, b: Decimal) => Decimal,
): Decimal128 {
  const [x, y] = [parseDecimal(a), parseDecimal(b)];
  // One is NaN or infinite.
  if (!x || !y) {
    return Decimal128.fromString(String(Number(a) + Number(b)));
  }
  const { digits, power } = operation(x, y);
  return Decimal128.fromStringWithRounding(`${digits}E${power}`);
}

/** Undefined for NaN and the infinities. MongoDB turns a double into a decimal of 15 digits. */
function parseDecimal(value: BsonNumber): Decimal | undefined {
  const text = kindOf(value) === 'double' ? Number(value).toPrecision(15) : value.toString();
  const parts = /^([+-]?\d*)\.?(\d*)(?:E([+-]?\d+))?$/i.exec(text);
  if (!parts) {
    return undefined;
  }
  const [, whole = '', decimals = '', exponent = '0'] = parts;
  return { digits: BigInt(whole + decimals), power: Number(exponent) - decimals.length };
}

function addDecimals(a: Decimal, b: Decimal): Decimal {
  const power = Math.min(a.power, b.power);
  return { digits: scaled(a, power) + scaled(b, power), power };
}

function scaled({ digits, power }: Decimal, to: number): bigint {
  return digits * 10n ** BigInt(power - to);
}

function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  return { digits: a.digits * b.digits, power: a.power + b.power };
}
