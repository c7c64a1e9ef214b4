import { Decimal128, Long } from 'bson';
import { locationError, mongoError } from '../../base/errors.ts';
import {
  asDecimal,
  asDouble,
  asInteger,
  isInt64,
  kindOf,
  RunningResult,
  remainder,
  subtract,
  toBigInt,
} from '../../values/arithmetic.ts';
import { divideDecimals, negateDecimal, roundDecimal } from '../../values/decimal.ts';
import { type BsonNumber, isNumeric, isZero } from '../../values/numbers.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { dateOf, inRange, millisOf, wholeMillis } from './milliseconds.ts';
import { check, isNullish, onExactly, operandsOf } from './operands.ts';

/** The rules of types and overflow are those of src/mongo/db/exec/expression/evaluate_math.cpp. */
export const ARITHMETIC: Record<string, OperatorCompiler> = {
  $add: accumulating(() => new Sum()),
  $multiply: accumulating(() => new Product()),
  $subtract: onExactly(2, ([a, b]) => difference(a, b)),
  $divide: onNumbers(14, quotient),
  $mod: onNumbers(16611, (a, b) => {
    const isDecimal = a instanceof Decimal128 || b instanceof Decimal128;
    check(!isZero(b), isDecimal ? 5733415 : 16610, "can't $mod by zero");
    return remainder(a, b);
  }),
  $abs: onNumber(absolute),
  $ceil: onNumber((value, name) => rounded(value, 1, name)),
  $floor: onNumber((value, name) => rounded(value, -1, name)),
};

/** An operator that is null from its first null operand on: it does not look at the others. */
function accumulating(start: () => { include(value: unknown): void; result(): unknown }): OperatorCompiler {
  return (operand, context) => {
    const items = operandsOf(operand, context);
    return (document, variables) => {
      const total = start();
      for (const item of items) {
        const value = item(document, variables);
        if (isNullish(value)) {
          return null;
        }
        total.include(value);
      }
      return total.result();
    };
  };
}

class Product {
  readonly #numbers = new RunningResult('$multiply');

  include(value: unknown): void {
    this.#numbers.include(numeric('$multiply', value));
  }

  result(): unknown {
    return this.#numbers.result();
  }
}

/** Numbers and at most one date. From the date on, each number counts as whole milliseconds. */
class Sum {
  readonly #numbers = new RunningResult('$add');
  #millis: bigint | undefined;

  include(value: unknown): void {
    if (value instanceof Date) {
      check(this.#millis === undefined, 16612, 'only one date allowed in an $add expression');
      this.#millis = inRange(wholeMillis(this.#numbers.result()) + millisOf(value));
    } else if (this.#millis === undefined) {
      this.#numbers.include(numeric('$add', value));
    } else {
      this.#millis = inRange(this.#millis + wholeMillis(numeric('$add', value)));
    }
  }

  result(): unknown {
    return this.#millis === undefined ? this.#numbers.result() : dateOf(this.#millis);
  }
}

function difference(a: unknown, b: unknown): unknown {
  if (isNullish(a) || isNullish(b)) {
    return null;
  }
  if (isNumeric(a) && isNumeric(b)) {
    return subtract(a, b);
  }
  if (a instanceof Date && b instanceof Date) {
    return Long.fromBigInt(millisOf(a) - millisOf(b));
  }
  if (a instanceof Date && isNumeric(b)) {
    return dateOf(inRange(millisOf(a) - wholeMillis(b)));
  }
  throw mongoError('TypeMismatch', `can't $subtract ${bsonTypeName(b)} from ${bsonTypeName(a)}`);
}

function quotient(a: BsonNumber, b: BsonNumber): BsonNumber {
  if (isZero(b)) {
    throw mongoError('BadValue', "can't $divide by zero");
  }
  return a instanceof Decimal128 || b instanceof Decimal128
    ? divideDecimals(asDecimal(a), asDecimal(b))
    : asDouble(Number(a) / Number(b));
}

function absolute(value: BsonNumber): BsonNumber {
  switch (kindOf(value)) {
    case 'decimal':
      return value.toString().startsWith('-') ? negateDecimal(value as Decimal128) : value;
    case 'double':
      return asDouble(Math.abs(Number(value)));
  }
  const whole = toBigInt(value);
  const magnitude = whole < 0n ? -whole : whole;
  check(isInt64(magnitude), 28680, "can't take $abs of long long min");
  return kindOf(value) === 'long' ? Long.fromBigInt(magnitude) : asInteger(magnitude);
}

function rounded(value: BsonNumber, direction: 1 | -1, name: string): BsonNumber {
  const kind = kindOf(value);
  if (kind === 'double') {
    return asDouble(direction > 0 ? Math.ceil(Number(value)) : Math.floor(Number(value)));
  }
  const result = kind === 'decimal' ? roundDecimal(value as Decimal128, direction) : value;
  if (!result) {
    const what = `${name} of a decimal that is not finite or has more than 34 digits`;
    throw mongoError('NotImplemented', `${what} is not implemented by the embedded engine`);
  }
  return result;
}

function numeric(name: string, value: unknown): BsonNumber {
  if (isNumeric(value)) {
    return value;
  }
  throw mongoError('TypeMismatch', `${name} only supports numeric types, not ${bsonTypeName(value)}`);
}

/** An operator on two numbers. It is null if one of its operands is, whatever the other. */
function onNumbers(code: number, operation: (a: BsonNumber, b: BsonNumber) => BsonNumber): OperatorCompiler {
  return onExactly(2, ([a, b]) => {
    if (isNumeric(a) && isNumeric(b)) {
      return operation(a, b);
    }
    if (isNullish(a) || isNullish(b)) {
      return null;
    }
    const message = `only numeric types are supported, not ${bsonTypeName(a)} and ${bsonTypeName(b)}`;
    throw code === 14 ? mongoError('TypeMismatch', message) : locationError(code, message);
  });
}

/** An operator on one number (28765). */
function onNumber(operation: (value: BsonNumber, name: string) => BsonNumber): OperatorCompiler {
  return (operand, context, name) =>
    onExactly(1, ([value]) => {
      if (isNullish(value)) {
        return null;
      }
      check(isNumeric(value), 28765, `${name} only supports numeric types`, value);
      return operation(value, name);
    })(operand, context, name);
}
