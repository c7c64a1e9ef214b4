import { Decimal128, Long } from 'bson';
import { isNumeric } from '../values/numbers.ts';

/** A number without its fraction; undefined if it is no number, NaN, infinite or outside the range of int64. */
export function truncated(value: unknown): bigint | undefined {
  if (!isNumeric(value)) {
    return undefined;
  }
  const integer = value instanceof Decimal128 ? truncatedDecimal(value.toString()) : truncatedBinary(value);
  return integer !== undefined && BigInt.asIntN(64, integer) === integer ? integer : undefined;
}

function truncatedBinary(value: unknown): bigint | undefined {
  if (value instanceof Long) {
    return value.toBigInt();
  }
  const number = Number(value);
  return Number.isFinite(number) ? BigInt(Math.trunc(number)) : undefined;
}

/** Beyond this power of ten, every decimal but zero is outside the range of int64. */
const MAX_POWER = 19;

function truncatedDecimal(text: string): bigint | undefined {
  const parts = /^(-?)(\d*)\.?(\d*)(?:E([+-]\d+))?$/.exec(text);
  if (!parts) {
    return undefined;
  }
  const [, sign, whole = '', decimals = '', exponent = '0'] = parts;
  const power = Number(exponent) - decimals.length;
  const digits = power < 0 ? (whole + decimals).slice(0, power) : whole + decimals;
  const magnitude = BigInt(digits || '0');
  if (power > MAX_POWER && magnitude > 0n) {
    return undefined;
  }
  const integer = magnitude * 10n ** BigInt(Math.min(Math.max(power, 0), MAX_POWER));
  return sign ? -integer : integer;
}
