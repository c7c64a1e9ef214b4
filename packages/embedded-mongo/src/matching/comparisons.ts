import { BSONRegExp, type Document, MaxKey, MinKey } from 'bson';
import { mongoError } from '../base/errors.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import { isNumeric } from '../values/numbers.ts';
import { orderOf } from '../values/types.ts';
import { ValueSet } from '../values/value-set.ts';
import { type CompileContext, isOperatorObject, type Test } from './leaf-operator.ts';
import { matchesPattern } from './regex.ts';

/** `$eq`. A pattern equals an equal pattern; it is not searched for. */
export function equals(operand: unknown, _: Document, { collator }: CompileContext): Test {
  if (typeof operand === 'string' && !collator) {
    return (value) => value === operand || (typeof value === 'object' && equalValues(value, operand));
  }
  const order = orderOf(operand);
  return (value) => orderOf(value) === order && equalValues(value, operand, collator);
}

/** `$gt` and its siblings. They compare only within a type, except with MinKey and MaxKey (type bracketing). */
export function ordered(accept: (order: number) => boolean) {
  return (operand: unknown, _: Document, { collator }: CompileContext): Test => {
    if (operand instanceof BSONRegExp) {
      throw mongoError('BadValue', "Can't have RegEx as arg to predicate");
    }
    const isEnd = operand instanceof MinKey || operand instanceof MaxKey;
    const type = orderOf(operand);
    return (value) => {
      const order = orderOf(value);
      if (order !== type) {
        return isEnd && accept(order - type);
      }
      // NaN is equal to NaN, and neither above nor below any number.
      if (isNaNValue(operand) || isNaNValue(value)) {
        return isNaNValue(operand) && isNaNValue(value) && accept(0);
      }
      return accept(compareValues(value, operand, collator));
    };
  };
}

function isNaNValue(value: unknown): boolean {
  return isNumeric(value) && Number.isNaN(Number(value));
}

/** `$in`. A pattern in the list is searched for. */
export function inList(operand: unknown, _: Document, { collator, patternCost }: CompileContext): Test {
  if (!Array.isArray(operand)) {
    throw mongoError('BadValue', '$in needs an array');
  }
  if (operand.some(isOperatorObject)) {
    throw mongoError('BadValue', 'cannot nest $ under $in');
  }
  const patterns = operand
    .filter((item) => item instanceof BSONRegExp)
    .map((item) => matchesPattern(item, patternCost));
  const values = new ValueSet(
    operand.filter((item) => !(item instanceof BSONRegExp)),
    collator,
  );
  return (value) => values.has(value) || patterns.some((test) => test(value));
}
