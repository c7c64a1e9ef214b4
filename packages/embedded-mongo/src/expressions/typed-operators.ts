import { Long } from 'bson';
import { locationError, mongoError } from '../base/errors.ts';
import { add, asDouble, multiply } from '../values/arithmetic.ts';
import { compareValues } from '../values/compare.ts';
import { type BsonNumber, isNumeric } from '../values/numbers.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument, MISSING } from '../values/types.ts';

/** mingo's options. They are only passed on. */
type Options = unknown;

type Expression = (object: unknown, operand: unknown, options: Options) => unknown;

/** mingo's evaluator. It is a parameter because mingo is loaded late. */
type Evaluate = (object: unknown, expression: unknown, options: Options) => unknown;

/**
 * The expression operators whose result depends on BSON's types and their order: comparisons, truth and arithmetic. mingo
 * does not know BSON's types. These operators replace mingo's of the same names.
 */
export function typedOperators(evaluate: Evaluate): Record<`$${string}`, Expression> {
  const list =
    (operation: (values: unknown[]) => unknown): Expression =>
    (object, operand, options) =>
      operation(
        (Array.isArray(operand) ? operand : [operand]).map((each) => evaluate(object, each, options)),
      );
  const compared = (name: string, accept: (order: number) => unknown) =>
    list((values) => {
      if (values.length !== 2) {
        throw locationError(
          16020,
          `Expression ${name} takes exactly 2 arguments. ${values.length} were passed in.`,
        );
      }
      return accept(compareInExpression(values[0], values[1]));
    });
  return {
    $eq: compared('$eq', (order) => order === 0),
    $ne: compared('$ne', (order) => order !== 0),
    $gt: compared('$gt', (order) => order > 0),
    $gte: compared('$gte', (order) => order >= 0),
    $lt: compared('$lt', (order) => order < 0),
    $lte: compared('$lte', (order) => order <= 0),
    $cmp: compared('$cmp', Math.sign),
    $and: list((values) => values.every(isTrue)),
    $or: list((values) => values.some(isTrue)),
    $not: list((values) => !isTrue(values[0])),
    $add: list((values) => fold('$add', values, add, 0)),
    $multiply: list((values) => fold('$multiply', values, multiply, 1)),
    $subtract: list(([a, b]) => subtract(a, b)),
    $divide: list(([a, b]) => divide(a, b)),
    $in: list(([value, items]) => isIn(value, items)),
    $type: list(([value]) => (value === MISSING ? 'missing' : bsonTypeName(value))),
    $isNumber: list(([value]) => isNumeric(value)),
    $ifNull: list((values) =>
      values.find((value, i) => (value !== null && value !== MISSING) || i === values.length - 1),
    ),
    $cond: (object, operand, options) => {
      const [test, yes, no] = Array.isArray(operand)
        ? operand
        : isDocument(operand)
          ? [operand.if, operand.then, operand.else]
          : [];
      return evaluate(object, isTrue(evaluate(object, test, options)) ? yes : no, options);
    },
  };
}

/** In expressions, unlike in filters, a missing value is less than null. */
function compareInExpression(a: unknown, b: unknown): number {
  if (a === MISSING || b === MISSING) {
    return Number(b === MISSING) - Number(a === MISSING);
  }
  return compareValues(a, b);
}

/** MongoDB's truth: every value but false, null, missing and zero. */
export function isTrue(value: unknown): boolean {
  if (value === false || value === null || value === MISSING) {
    return false;
  }
  return !(isNumeric(value) && Number(value) === 0);
}

function fold(name: string, values: unknown[], operation: typeof add, initial: number): unknown {
  if (values.some((value) => value === null || value === MISSING)) {
    return null;
  }
  const dates = values.filter((value) => value instanceof Date);
  if (name === '$add' && dates.length === 1) {
    const others = values.filter((value) => !(value instanceof Date)).map((value) => numeric(name, value));
    return new Date((dates[0] as Date).getTime() + Number(others.reduce(operation, 0)));
  }
  return values.map((value) => numeric(name, value)).reduce(operation, initial);
}

function numeric(name: string, value: unknown): BsonNumber {
  if (isNumeric(value)) {
    return value;
  }
  throw mongoError('TypeMismatch', `${name} only supports numeric or date types, not ${bsonTypeName(value)}`);
}

function subtract(a: unknown, b: unknown): unknown {
  if (a === null || a === MISSING || b === null || b === MISSING) {
    return null;
  }
  if (a instanceof Date && b instanceof Date) {
    return Long.fromNumber(a.getTime() - b.getTime());
  }
  if (a instanceof Date) {
    return new Date(a.getTime() - Number(numeric('$subtract', b)));
  }
  return add(numeric('$subtract', a), multiply(numeric('$subtract', b), -1));
}

function divide(a: unknown, b: unknown): unknown {
  if (a === null || a === MISSING || b === null || b === MISSING) {
    return null;
  }
  const divisor = Number(numeric('$divide', b));
  if (divisor === 0) {
    throw mongoError('BadValue', "can't $divide by zero");
  }
  return asDouble(Number(numeric('$divide', a)) / divisor);
}

function isIn(value: unknown, items: unknown): boolean {
  if (!Array.isArray(items)) {
    throw locationError(40081, `$in requires an array as a second argument, found: ${bsonTypeName(items)}`);
  }
  return items.some((item) => compareInExpression(value, item) === 0);
}
