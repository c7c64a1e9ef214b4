import { Decimal128, Double, Long } from 'bson';
import { parseDecimal } from './decimal.ts';
import { ORDER, orderOf } from './types.ts';

/** Any BSON number in the form that `decode` gives. */
export type BsonNumber = number | bigint | Double | Long | Decimal128;

/** The number of bits in the fraction of a SplitNumber. */
const FRACTION_BITS = 128n;

/**
 * A number as its sign, the greatest double not above its magnitude and, if it is no double itself, its distance to that
 * double. These parts in this order put int64, double and decimal into one exact order.
 */
interface SplitNumber {
  negative: boolean;
  floor: number;
  fraction?: bigint;
}

/** Splits any BSON number except NaN. */
export function splitNumber(value: BsonNumber): SplitNumber {
  const number = Number(value);
  const near = Math.abs(number);
  const parsed = typeof value === 'number' || value instanceof Double ? undefined : parseDecimal(value);
  if (!parsed || parsed.digits === 0n) {
    return { negative: number < 0, floor: near };
  }
  const { negative, digits, power } = parsed;
  if (near === 0) {
    return { negative, floor: 0, fraction: packDecimal(digits, power) };
  }
  if (near === Infinity) {
    // Above the fractions that splitRational gives to numbers just over the greatest double.
    return { negative, floor: Number.MAX_VALUE, fraction: packDecimal(digits, power) | (1n << 127n) };
  }
  const scale = 10n ** BigInt(Math.abs(power));
  const rational = power < 0 ? ([digits, scale] as const) : ([digits * scale, 1n] as const);
  return { negative, ...splitRational(...rational, near) };
}

/** Decimals outside the range of doubles have an order of their own: exponent (14 bits), then 34 digits (113 bits). */
function packDecimal(mantissa: bigint, power: number): bigint {
  const digits = String(mantissa).length;
  return (BigInt(digits + power + 6200) << 113n) | (mantissa * 10n ** BigInt(34 - digits));
}

/** The parts of numerator/denominator (both positive), given a double next to it. */
function splitRational(numerator: bigint, denominator: bigint, near: number) {
  const floor = compareTo(numerator, denominator, near) < 0 ? neighbour(near, -1n) : near;
  if (compareTo(numerator, denominator, floor) === 0) {
    return { floor };
  }
  const low = rationalOf(floor);
  const high = rationalOf(neighbour(floor, 1n));
  const over = (numerator * low.denominator - low.numerator * denominator) * high.denominator;
  const step = (high.numerator * low.denominator - low.numerator * high.denominator) * denominator;
  return { floor, fraction: (over << FRACTION_BITS) / step };
}

function compareTo(numerator: bigint, denominator: bigint, double: number): number {
  const other = rationalOf(double);
  const difference = numerator * other.denominator - other.numerator * denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

const view = new DataView(new ArrayBuffer(8));

/** A finite positive double as a fraction of two integers. */
function rationalOf(double: number): { numerator: bigint; denominator: bigint } {
  view.setFloat64(0, double);
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n);
  const mantissa = (bits & ((1n << 52n) - 1n)) | (exponent === 0 ? 0n : 1n << 52n);
  const power = BigInt((exponent || 1) - 1075);
  return power >= 0n
    ? { numerator: mantissa << power, denominator: 1n }
    : { numerator: mantissa, denominator: 1n << -power };
}

/** The next positive double above (1) or below (-1). */
function neighbour(double: number, step: 1n | -1n): number {
  view.setFloat64(0, double);
  view.setBigUint64(0, view.getBigUint64(0) + step);
  return view.getFloat64(0);
}

/** True for a number of any BSON type. */
export function isNumeric(value: unknown): value is BsonNumber {
  return orderOf(value) === ORDER.number;
}

/** True for zero of any type. */
export function isZero(value: BsonNumber): boolean {
  return value instanceof Decimal128 ? parseDecimal(value)?.digits === 0n : Number(value) === 0;
}
