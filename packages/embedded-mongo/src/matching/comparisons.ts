import { BSONRegExp, type Document, MaxKey, MinKey } from 'bson';
import { mongoError } from '../base/errors.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import { MISSING, orderOf } from '../values/types.ts';
import { type CompileContext, isOperatorObject, type Test } from './leaf-operator.ts';
import { matches } from './regex.ts';

/** `$eq`. A pattern matches strings, as in `{ name: /x/ }`. */
export function equals(operand: unknown, collator?: Intl.Collator): Test {
  if (operand instanceof BSONRegExp) {
    return matches(operand);
  }
  if (typeof operand === 'string' && !collator) {
    return (value) => value === operand;
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
    const acrossTypes = operand instanceof MinKey || operand instanceof MaxKey;
    const type = orderOf(operand);
    const operandIsNaN = isNaNValue(operand);
    return (value) => {
      if (!acrossTypes && orderOf(value) !== type) {
        return false;
      }
      if (acrossTypes && value === MISSING) {
        return false;
      }
      // NaN is equal to NaN, and neither above nor below any number.
      if (operandIsNaN || isNaNValue(value)) {
        return operandIsNaN && isNaNValue(value) && accept(0);
      }
      return accept(compareValues(value, operand, collator));
    };
  };
}

function isNaNValue(value: unknown): boolean {
  return typeof value === 'number'
    ? Number.isNaN(value)
    : String(value) === 'NaN' && typeof value === 'object';
}

/** `$in`. */
export function inList(operand: unknown, _: Document, context: CompileContext): Test {
  if (!Array.isArray(operand)) {
    throw mongoError('BadValue', '$in needs an array');
  }
  if (operand.some(isOperatorObject)) {
    throw mongoError('BadValue', 'cannot nest $ under $in');
  }
  const strings = new Set(context.collator ? [] : operand.filter((item) => typeof item === 'string'));
  const others = operand.filter((item) => !strings.has(item)).map((item) => equals(item, context.collator));
  return (value) => strings.has(value as string) || others.some((test) => test(value));
}
