import { Decimal128, Long } from 'bson';
import { demand, notImplemented, refuse } from '../../base/errors.ts';
import { asDouble, calculate, DIFFERENCE, kindOf, PRODUCT, REMAINDER, SUM } from '../../values/arithmetic.ts';
import { type BsonNumber, isNumeric, isZero } from '../../values/numbers.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { dateOfMillis } from './dates.ts';
import { demandType, int32Of, isNullish, onExactly, onJoined, onOne, onValues } from './operands.ts';

/** The rules of types and overflow are those of src/mongo/db/exec/expression/evaluate_math.cpp. */
export const ARITHMETIC: Record<string, OperatorCompiler> = {
  $add: onJoined(isNumberOrDate, 14, sum),
  $multiply: onJoined(isNumeric, 14, (values) => calculate(PRODUCT, [1, ...values])),
  $subtract: onExactly(2, ([a, b]) => difference(a, b)),
  $divide: onNumbers(14, 2, (a, b) => asDouble(Number(a) / Number(b))),
  $mod: onNumbers(16611, 16610, (a, b) => calculate(REMAINDER, [a, b])),
  $abs: onOne(isNumeric, 28765, absolute),
  $ceil: onOne(isNumeric, 28765, (value) => rounded(value, Math.ceil)),
  $round: onValues(([value, place = 0]) => roundedTo(value, place), 1, 2),
  $floor: onOne(isNumeric, 28765, (value) => rounded(value, Math.floor)),
};

function isNumberOrDate(value: unknown): value is BsonNumber | Date {
  return isNumeric(value) || value instanceof Date;
}

/** Numbers and at most one date, to which whole milliseconds are added. */
function sum(values: readonly (BsonNumber | Date)[]): unknown {
  const dates = values.filter((value) => value instanceof Date).length;
  demand(dates <= 1, 16612, 'only one date allowed in an $add expression');
  return dates === 0
    ? calculate(SUM, [0, ...(values as BsonNumber[])])
    : values.reduce((date: Date, value) => dateOfMillis(date.getTime() + Number(value)), new Date(0));
}

function difference(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) {
    return null;
  }
  if (a instanceof Date && isNumberOrDate(b)) {
    const date = dateOfMillis(dateOfMillis(a.getTime()).getTime() - Number(b));
    return b instanceof Date ? Long.fromNumber(date.getTime()) : date;
  }
  demandType(isNumeric(a), 14, 'cannot $subtract from this type', a);
  demandType(isNumeric(b), 14, 'cannot $subtract this type', b);
  return calculate(DIFFERENCE, [a, b]);
}

function absolute(value: BsonNumber): BsonNumber {
  demand(!(value instanceof Long && value.equals(Long.MIN_VALUE)), 28680, "can't take $abs of long long min");
  if (kindOf(value) === 'double') {
    return asDouble(Math.abs(Number(value)));
  }
  refuseDecimals(value);
  return Number(value) < 0 ? calculate(DIFFERENCE, [0, value]) : value;
}

function rounded(value: BsonNumber, round: (value: number) => number): BsonNumber {
  refuseDecimals(value);
  return kindOf(value) === 'double' ? asDouble(round(Number(value))) : value;
}

/** The places up to which a double below 10^21 has no more than Decimal128's 34 digits. */
const MAX_PLACE = 13;

/** `$round`: halves go to the even neighbour. */
function roundedTo(value: unknown, place: unknown): BsonNumber | null {
  if (isNullish(value)) {
    return null;
  }
  demandType(isNumeric(value), 51081, '$round only supports numeric types', value);
  refuse(isNullish(place), '$round without a place');
  const digits = int32Of(place, 'the place of $round', [51082, 51082]);
  demand(digits >= -20 && digits <= 100, 51083, 'the place of $round must be in [-20, 100]');
  refuseDecimals(value);
  refuse(digits < 0, '$round to tens');
  if (kindOf(value) !== 'double') {
    return value;
  }
  refuse(digits > MAX_PLACE, `$round of a double to more than ${MAX_PLACE} places`);
  return asDouble(halfToEven(Number(value), digits));
}

function halfToEven(number: number, digits: number): number {
  const text = number.toFixed(digits);
  // All digits of a double below 10^21: its last binary place is above 2^-100 wherever it can be half-way.
  const isHalf = /^50*$/.test(Math.abs(number).toFixed(100).split('.')[1]?.slice(digits) ?? '');
  if (!isHalf || !/[13579]$/.test(text)) {
    return Number(text);
  }
  // JavaScript has taken the greater magnitude.
  const unit = BigInt(text.replace('.', '').replace('-', '')) - 1n;
  return Math.sign(number) * Number(`${unit}e-${digits}`);
}

/** An operator on two numbers. It is null if one of its operands is, whatever the other. */
function onNumbers(
  wrongType: number,
  byZero: number,
  operation: (a: BsonNumber, b: BsonNumber) => BsonNumber,
): OperatorCompiler {
  return onExactly(2, ([a, b]) => {
    if (isNullish(a) || isNullish(b)) {
      return null;
    }
    demandType(isNumeric(a), wrongType, 'only numeric types are supported', a);
    demandType(isNumeric(b), wrongType, 'only numeric types are supported', b);
    refuseDecimals(a, b);
    demand(!isZero(b), byZero, "can't divide by zero");
    return operation(a, b);
  });
}

function refuseDecimals(...values: BsonNumber[]): void {
  if (values.some((value) => value instanceof Decimal128)) {
    throw notImplemented('an operator other than $add, $subtract and $multiply on a Decimal128');
  }
}
