import { Decimal128, Long } from 'bson';
import { notImplemented } from '../base/errors.ts';
import { asDouble, asInteger, isInt64, kindOf, type NumberKind, toBigInt, widerKind } from './arithmetic.ts';
import { addDecimals } from './decimal.ts';
import type { BsonNumber } from './numbers.ts';

/**
 * The sum for `$sum` and `$avg`. Decimals are apart; all else is the sum of two doubles, exact for integers and compensated
 * for doubles (2Sum and Fast2Sum, as in src/mongo/util/summation.h). The order of the values hardly matters.
 */
export class Summation {
  #kind: NumberKind = 'int';
  #count = 0;
  #sum = 0;
  #addend = 0;
  /** The plain sum. It is right where compensation makes NaN of infinities. */
  #plain = 0;
  #decimal = Decimal128.fromString('0');

  add(value: BsonNumber): void {
    const kind = kindOf(value);
    this.#kind = widerKind(this.#kind, kind);
    this.#count++;
    if (value instanceof Decimal128) {
      this.#decimal = addDecimals(this.#decimal, value);
    } else if (kind === 'long') {
      const whole = toBigInt(value);
      const high = (whole / 2n ** 32n) * 2n ** 32n;
      this.#addDouble(Number(whole - high));
      this.#addDouble(Number(high));
    } else {
      this.#addDouble(Number(value));
    }
  }

  #addDouble(value: number): void {
    this.#plain += value;
    const low = value + this.#addend;
    const lowError = this.#addend - (low - value);
    const sum = this.#sum + low;
    const part = sum - low;
    this.#addend = this.#sum - part + (low - (sum - part)) + lowError;
    this.#sum = sum;
  }

  /** The sum: an int or a long that does not fit becomes a double. Decimals and doubles together are refused (238). */
  total(): BsonNumber {
    const isWhole = Number.isInteger(this.#sum) && Number.isInteger(this.#addend);
    const whole = isWhole ? BigInt(this.#sum) + BigInt(this.#addend) : undefined;
    if (this.#kind === 'decimal') {
      if (whole === undefined) {
        throw notImplemented('the sum of a Decimal128 and doubles with decimals');
      }
      return addDecimals(this.#decimal, Decimal128.fromString(String(whole)));
    }
    if (this.#kind === 'double' || whole === undefined || !isInt64(whole)) {
      return asDouble(this.#doubleTotal());
    }
    return this.#kind === 'long' ? Long.fromBigInt(whole) : asInteger(whole);
  }

  /** The average as a double; null without values. That of decimals is refused (238). */
  average(): BsonNumber | null {
    if (this.#kind === 'decimal') {
      throw notImplemented('the average of a Decimal128');
    }
    return this.#count === 0 ? null : asDouble(this.#doubleTotal() / this.#count);
  }

  #doubleTotal(): number {
    return Number.isNaN(this.#sum) ? this.#plain : this.#sum;
  }
}
