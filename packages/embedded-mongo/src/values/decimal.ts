import { Decimal128 } from 'bson';

/** A finite decimal number: digits * 10^power. The sign is apart because zero has one, too. */
export interface Decimal {
  negative: boolean;
  digits: bigint;
  power: number;
}

const MAX_DIGITS = 34;
const MIN_POWER = -6176;
const MAX_POWER = 6111;

/** Undefined for NaN and the infinities. */
export function parseDecimal(value: Decimal128): Decimal | undefined {
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

/** A decimal of 34 digits, rounded half to even (IEEE 754): infinite above its range, and gradually zero below it. */
export function formatDecimal({ negative, digits, power }: Decimal): Decimal128 {
  const sign = negative ? '-' : '';
  let rounded = roundDigits(digits, power, Math.max(lengthOf(digits) - MAX_DIGITS, MIN_POWER - power, 0));
  // 999…9 can become 1000…0, with a digit more.
  rounded = roundDigits(rounded.digits, rounded.power, Math.max(lengthOf(rounded.digits) - MAX_DIGITS, 0));
  const excess = rounded.digits === 0n ? 0 : Math.max(rounded.power - MAX_POWER, 0);
  if (lengthOf(rounded.digits) + excess > MAX_DIGITS) {
    return Decimal128.fromString(`${sign}Infinity`);
  }
  const coefficient = rounded.digits * 10n ** BigInt(excess);
  return Decimal128.fromString(`${sign}${coefficient}E${Math.min(rounded.power, MAX_POWER)}`);
}

/** Drops the last digits and rounds half to even. A negative number of digits to drop appends zeros. */
export function roundDigits(digits: bigint, power: number, drop: number): { digits: bigint; power: number } {
  if (drop <= 0) {
    return { digits: digits * 10n ** BigInt(-drop), power: power + drop };
  }
  const unit = 10n ** BigInt(drop);
  const [quotient, rest] = [digits / unit, (digits % unit) * 2n];
  const isUp = rest > unit || (rest === unit && quotient % 2n === 1n);
  return { digits: isUp ? quotient + 1n : quotient, power: power + drop };
}

export function lengthOf(digits: bigint): number {
  return String(digits).length;
}

/** The sum, with the smaller of the two powers if its digits allow that. */
export function addDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  return combine(
    a,
    b,
    (x, y) => x + y,
    (x, y) => {
      const power = Math.min(x.power, y.power);
      const sum = scaled(x, power) + scaled(y, power);
      const negative = sum === 0n ? x.negative && y.negative : sum < 0n;
      return { negative, digits: sum < 0n ? -sum : sum, power };
    },
  );
}

export function negateDecimal(value: Decimal128): Decimal128 {
  const text = value.toString();
  return text === 'NaN' ? value : Decimal128.fromString(text.startsWith('-') ? text.slice(1) : `-${text}`);
}

export function multiplyDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  return combine(
    a,
    b,
    (x, y) => x * y,
    (x, y) => ({
      negative: x.negative !== y.negative,
      digits: x.digits * y.digits,
      power: x.power + y.power,
    }),
  );
}

/** The quotient by a divisor that is not zero. An exact one has the power nearest to the difference of the powers. */
export function divideDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  return combine(
    a,
    b,
    (x, y) => x / y,
    (x, y) => {
      const negative = x.negative !== y.negative;
      const wanted = x.power - y.power;
      const more = Math.max(MAX_DIGITS + 2 + lengthOf(y.digits) - lengthOf(x.digits), 0);
      const dividend = x.digits * 10n ** BigInt(more);
      let [digits, power] = [dividend / y.digits, wanted - more];
      if (dividend % y.digits !== 0n) {
        // Digits after the last one of the quotient only tell that it is no tie.
        return { negative, digits: digits * 10n + 1n, power: power - 1 };
      }
      while (power < wanted && digits % 10n === 0n) {
        digits /= 10n;
        power++;
      }
      return { negative, digits, power: digits === 0n ? wanted : power };
    },
  );
}

/** What is left of a division by a divisor that is not zero. It has the sign of the dividend. */
export function remainderOfDecimals(a: Decimal128, b: Decimal128): Decimal128 {
  if (parseDecimal(a) && /Infinity/.test(b.toString())) {
    return a;
  }
  return combine(
    a,
    b,
    (x, y) => x % y,
    (x, y) => {
      const power = Math.min(x.power, y.power);
      const digits = scaled({ ...x, negative: false }, power) % scaled({ ...y, negative: false }, power);
      return { negative: x.negative, digits, power };
    },
  );
}

/** The nearest decimal without decimals, in a direction: 1 is up, -1 is down. */
export function roundDecimal(value: Decimal128, direction: 1 | -1): Decimal128 | undefined {
  const parsed = parseDecimal(value);
  if (!parsed) {
    return undefined;
  }
  const { negative, digits, power } = parsed;
  const unit = 10n ** BigInt(Math.max(-power, 0));
  const isAway = digits % unit !== 0n && direction < 0 === negative;
  const whole = power > 0 ? digits * 10n ** BigInt(power) : digits / unit + (isAway ? 1n : 0n);
  return lengthOf(whole) > MAX_DIGITS ? undefined : formatDecimal({ negative, digits: whole, power: 0 });
}

/** Does an operation on finite decimals, or on numbers in place of them if one is NaN or infinite. */
function combine(
  a: Decimal128,
  b: Decimal128,
  special: (x: number, y: number) => number,
  finite: (x: Decimal, y: Decimal) => Decimal,
): Decimal128 {
  const [x, y] = [parseDecimal(a), parseDecimal(b)];
  if (x && y) {
    return formatDecimal(finite(x, y));
  }
  const result = special(standIn(a, x), standIn(b, y));
  // A finite number by an infinite one.
  return result === 0
    ? formatDecimal({ negative: Object.is(result, -0), digits: 0n, power: MIN_POWER })
    : Decimal128.fromString(String(result));
}

/** A number of the same sign that is zero, NaN or infinite exactly if the decimal is. */
function standIn(value: Decimal128, parsed: Decimal | undefined): number {
  if (!parsed) {
    return Number(value.toString());
  }
  return (parsed.negative ? -1 : 1) * (parsed.digits === 0n ? 0 : 1);
}

function scaled({ negative, digits, power }: Decimal, to: number): bigint {
  return (negative ? -digits : digits) * 10n ** BigInt(power - to);
}
