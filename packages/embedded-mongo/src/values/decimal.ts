import { Decimal128, type Long } from 'bson';
import { notImplemented } from '../base/errors.ts';

/** A finite decimal number: digits * 10^power. The sign is apart because zero has one, too. */
interface Decimal {
  negative: boolean;
  digits: bigint;
  power: number;
}

/** bson rounds decimals next to the ends of their range (1E-6176, 1E+6144) in another way than MongoDB. */
const MAX_POWER = 5900;

/** A decimal or an integer; undefined for NaN and the infinities. */
export function parseDecimal(value: Decimal128 | Long | bigint): Decimal | undefined {
  const parts = /^(-?)(\d*)\.?(\d*)(?:E([+-]?\d+))?$/.exec(value.toString());
  if (!parts) {
    return undefined;
  }
  const [, sign, whole = '', decimals = '', exponent = '0'] = parts;
  return {
    negative: sign === '-',
    digits: BigInt(whole + decimals),
    power: Number(exponent) - decimals.length,
  };
}

/** The sum, with the smaller of the two powers if its digits allow that. NaN and the infinities are refused (238). */
export function addDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [x, y] = [finite(a), finite(b)];
  const power = Math.min(x.power, y.power);
  const sum = scaled(x, power) + scaled(y, power);
  const negative = sum === 0n ? x.negative && y.negative : sum < 0n;
  return formatDecimal({ negative, digits: sum < 0n ? -sum : sum, power });
}

/** The product. NaN and the infinities are refused (238). */
export function multiplyDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  const [x, y] = [finite(a), finite(b)];
  const negative = x.negative !== y.negative;
  return formatDecimal({ negative, digits: x.digits * y.digits, power: x.power + y.power });
}

/** A decimal of 34 digits, rounded half to even (IEEE 754). */
function formatDecimal({ negative, digits, power }: Decimal): Decimal128 {
  if (Math.abs(power) > MAX_POWER) {
    throw notImplemented(`arithmetic with a Decimal128 beyond 1E+${MAX_POWER} or 1E-${MAX_POWER}`);
  }
  return Decimal128.fromStringWithRounding(`${negative ? '-' : ''}${digits}E${power}`);
}

function finite(value: Decimal128): Decimal {
  const parsed = parseDecimal(value);
  if (!parsed) {
    throw notImplemented('arithmetic with a Decimal128 that is not finite');
  }
  return parsed;
}

function scaled({ negative, digits, power }: Decimal, to: number): bigint {
  return (negative ? -digits : digits) * 10n ** BigInt(power - to);
}
