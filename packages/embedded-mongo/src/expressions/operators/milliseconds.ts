import type { Decimal128 } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { isInt64, kindOf, toBigInt } from '../../values/arithmetic.ts';
import { parseDecimal, roundDigits } from '../../values/decimal.ts';
import type { BsonNumber } from '../../values/numbers.ts';

/** A number of milliseconds as an integer. Doubles round half away from zero, decimals half to even. */
export function wholeMillis(value: BsonNumber): bigint {
  switch (kindOf(value)) {
    case 'double': {
      const rounded = Math.sign(Number(value)) * Math.round(Math.abs(Number(value)));
      return inRange(Number.isFinite(rounded) ? BigInt(rounded) : undefined);
    }
    case 'decimal': {
      const { negative, digits, power } = parseDecimal(value as Decimal128) ?? HUGE;
      const whole = roundDigits(digits, power, -power).digits;
      return inRange(negative ? -whole : whole);
    }
    default:
      return toBigInt(value);
  }
}

/** In place of a decimal that is not finite. */
const HUGE = { negative: false, digits: 1n, power: 100 };

/** Checks that milliseconds fit into a date of BSON (15). */
export function inRange(millis: bigint | undefined): bigint {
  if (millis === undefined || !isInt64(millis)) {
    throw mongoError('Overflow', 'date overflow');
  }
  return millis;
}

/** The date of milliseconds since 1970. */
export function dateOf(millis: bigint): Date {
  const date = new Date(Number(millis));
  millisOf(date);
  return date;
}

/** The milliseconds of a date. JavaScript has no dates more than 275,000 years away from 1970. */
export function millisOf(date: Date): bigint {
  if (Number.isNaN(date.getTime())) {
    throw mongoError('NotImplemented', 'So distant a date is not implemented by the embedded engine');
  }
  return BigInt(date.getTime());
}
