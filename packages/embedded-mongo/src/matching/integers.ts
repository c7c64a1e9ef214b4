import { Decimal128, Long } from 'bson';
import { parseDecimal } from '../values/decimal.ts';
import { isNumeric } from '../values/numbers.ts';

/** A number without its fraction; undefined if it is no number, NaN, infinite or outside the range of int64. */
export function truncated(value: unknown): bigint | undefined {
  if (!isNumeric(value)) {
    return undefined;
  }
  const integer = value instanceof Decimal128 ? truncatedDecimal(value) : truncatedBinary(value);
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

function truncatedDecimal(value: Decimal128): bigint | undefined {
  const decimal = parseDecimal(value);
  if (!decimal || (decimal.power > MAX_POWER && decimal.digits > 0n)) {
    return undefined;
  }
  const { negative, digits, power } = decimal;
  const scale = 10n ** BigInt(Math.min(Math.abs(power), 2 * MAX_POWER));
  const magnitude = power < 0 ? digits / scale : digits * scale;
  return negative ? -magnitude : magnitude;
}
