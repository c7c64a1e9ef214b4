import { Decimal128, Double, Long } from 'bson';
import { mongoError } from '../base/errors.ts';
import {
  addDecimals,
  formatDecimal,
  lengthOf,
  multiplyDecimals,
  negateDecimal,
  remainderOfDecimals,
  roundDigits,
} from './decimal.ts';
import { type BsonNumber, rationalOf } from './numbers.ts';
import { isInt32 } from './types.ts';

export type NumberKind = 'int' | 'long' | 'double' | 'decimal';

const KINDS: readonly NumberKind[] = ['int', 'long', 'double', 'decimal'];

/** One operation in each of the types of numbers. */
interface Operation {
  integers(a: bigint, b: bigint): bigint;
  doubles(a: number, b: number): number;
  decimals(a: Decimal128, b: Decimal128): Decimal128;
}

const ADDITION: Operation = { integers: (a, b) => a + b, doubles: (a, b) => a + b, decimals: addDecimals };
const PRODUCT: Operation = {
  integers: (a, b) => a * b,
  doubles: (a, b) => a * b,
  decimals: multiplyDecimals,
};
const MODULO: Operation = {
  integers: (a, b) => a % b,
  doubles: (a, b) => a % b,
  decimals: remainderOfDecimals,
};
const SUBTRACTION: Operation = {
  integers: (a, b) => a - b,
  doubles: (a, b) => a - b,
  decimals: (a, b) => addDecimals(a, negateDecimal(b)),
};

/** The sum of an update, in the wider of the two types. Ints that overflow become longs, and longs an error (2). */
export function add(a: BsonNumber, b: BsonNumber): BsonNumber {
  return combine(ADDITION, a, b, asInteger);
}

/** The product of an update, in the type of a sum. */
export function multiply(a: BsonNumber, b: BsonNumber): BsonNumber {
  return combine(PRODUCT, a, b, asInteger);
}

/** The difference of an expression: longs that overflow become doubles. */
export function subtract(a: BsonNumber, b: BsonNumber): BsonNumber {
  return combine(SUBTRACTION, a, b, (result) =>
    isInt64(result) ? asInteger(result) : asDouble(Number(a) - Number(b)),
  );
}

/** What is left of a division by a number that is not zero. It has the sign of the dividend. */
export function remainder(a: BsonNumber, b: BsonNumber): BsonNumber {
  return combine(MODULO, a, b, asInteger);
}

function combine(
  operation: Operation,
  a: BsonNumber,
  b: BsonNumber,
  whole: (result: bigint) => BsonNumber,
): BsonNumber {
  const kind = widerKind(kindOf(a), kindOf(b));
  if (kind === 'decimal') {
    return operation.decimals(asDecimal(a), asDecimal(b));
  }
  if (kind === 'double') {
    return asDouble(operation.doubles(Number(a), Number(b)));
  }
  const result = whole(operation.integers(toBigInt(a), toBigInt(b)));
  return kind === 'long' && typeof result === 'number' && isInt32(result) ? Long.fromNumber(result) : result;
}

/** A sum or a product of an expression: ints that overflow become longs, longs doubles, and doubles never integers again. */
export class RunningResult {
  #kind: NumberKind = 'int';
  #integer: bigint;
  #double: number;
  #decimal: Decimal128 | undefined;
  readonly #operation: Operation;

  constructor(operation: '$add' | '$multiply') {
    this.#operation = operation === '$add' ? ADDITION : PRODUCT;
    this.#double = operation === '$add' ? 0 : 1;
    this.#integer = BigInt(this.#double);
  }

  include(value: BsonNumber): void {
    const { integers, doubles, decimals } = this.#operation;
    const kind = widerKind(this.#kind, kindOf(value));
    if (kind === 'decimal') {
      this.#decimal = decimals(asDecimal(this.result()), asDecimal(value));
      this.#kind = kind;
      return;
    }
    this.#kind = kind;
    this.#double = doubles(this.#double, Number(value));
    if (this.#kind === 'double') {
      return;
    }
    const next = integers(this.#integer, toBigInt(value));
    if (!isInt64(next)) {
      this.#kind = 'double';
      return;
    }
    this.#integer = next;
    if (this.#operation === ADDITION) {
      // MongoDB turns the exact sum into a double, but multiplies doubles from the beginning.
      this.#double = Number(next);
    }
  }

  result(): BsonNumber {
    switch (this.#kind) {
      case 'decimal':
        return this.#decimal as Decimal128;
      case 'double':
        return asDouble(this.#double);
      case 'long':
        return Long.fromBigInt(this.#integer);
      default:
        return asInteger(this.#integer);
    }
  }
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
  if (!isInt64(value)) {
    throw mongoError('BadValue', `integer overflow: ${value}`);
  }
  return Long.fromBigInt(value);
}

export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** The exact value of an int or a long. */
export function toBigInt(value: BsonNumber): bigint {
  return typeof value === 'number' ? BigInt(value) : BigInt(value.toString());
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
  return KINDS[Math.max(KINDS.indexOf(a), KINDS.indexOf(b))] as NumberKind;
}

/**
 * A number as a decimal. Of a double, MongoDB takes 15 significant digits where types mix, and all 34 in `$sum` and `$avg`
 * (src/mongo/platform/decimal128.h).
 */
export function asDecimal(value: BsonNumber, significant: 15 | 34 = 15): Decimal128 {
  if (value instanceof Decimal128) {
    return value;
  }
  if (kindOf(value) !== 'double' || !Number.isFinite(Number(value))) {
    return Decimal128.fromString(value.toString());
  }
  const double = Number(value);
  const negative = double < 0 || Object.is(double, -0);
  if (double === 0) {
    return formatDecimal({ negative, digits: 0n, power: 0 });
  }
  const exact = exactDecimal(Math.abs(double));
  const long = roundToLength(exact, Math.min(lengthOf(exact.digits), 34));
  return formatDecimal({ negative, ...(significant === 15 ? roundToLength(long, 15) : long) });
}

/** Rounds to a number of digits, or appends zeros up to it. */
function roundToLength({ digits, power }: { digits: bigint; power: number }, length: number) {
  const rounded = roundDigits(digits, power, lengthOf(digits) - length);
  // 999…9 becomes 1000…0, with a digit more.
  return roundDigits(rounded.digits, rounded.power, lengthOf(rounded.digits) - length);
}

/** All digits of a positive double, without zeros at the end of its decimals. */
function exactDecimal(double: number): { digits: bigint; power: number } {
  const { numerator, denominator } = rationalOf(double);
  let power = 1 - denominator.toString(2).length;
  let digits = numerator * 5n ** BigInt(-power);
  while (power < 0 && digits % 10n === 0n) {
    digits /= 10n;
    power++;
  }
  return { digits, power };
}
