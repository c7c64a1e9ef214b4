import { BSONRegExp, type Document } from 'bson';
import { demand } from '../base/errors.ts';
import { isOperatorObject } from '../matching/leaf-operator.ts';
import { compileFilter } from '../matching/matcher.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import type { MatchContext } from '../values/match-context.ts';
import { splitPath } from '../values/names.ts';
import { isNumeric } from '../values/numbers.ts';
import { getPath } from '../values/set-path.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { ValueSet } from '../values/value-set.ts';
import { refuseExpr } from './array-filters.ts';
import type { FieldChange, Operator } from './field-change.ts';

/** The elements of an array that an operator changes; none of a missing field. Throws BadValue (2) for anything else. */
export function arrayOf(current: unknown, path: string): readonly unknown[] {
  const list = current === MISSING ? [] : current;
  demand(Array.isArray(list), 'BadValue', `the field '${path}' must be an array`);
  return list;
}

/** `$addToSet`. */
export const addToSet: Operator = (operand, _, { collator }) => {
  const items = new ValueSet(itemsToAdd(operand), collator).values;
  return (current, path) => {
    const list = arrayOf(current, path);
    const known = new ValueSet(list, collator);
    return [...list, ...items.filter((item) => !known.has(item))];
  };
};

function itemsToAdd(operand: unknown): unknown[] {
  if (!isDocument(operand) || Object.keys(operand)[0] !== '$each') {
    return [operand];
  }
  demand(Array.isArray(operand.$each), 'TypeMismatch', '$each of $addToSet must be an array');
  demand(Object.keys(operand).length === 1, 'BadValue', 'unexpected fields after $each of $addToSet');
  return operand.$each;
}

/** `$pop`: 1 removes the last element, -1 the first. */
export const pop: Operator = (operand) => {
  const end = isNumeric(operand) ? Number(operand) : 0;
  demand(Math.abs(end) === 1, 'FailedToParse', '$pop expects 1 or -1');
  return (current, path) => {
    demand(Array.isArray(current), 'TypeMismatch', `the field '${path}' must be an array`);
    return end === 1 ? current.slice(0, -1) : current.slice(1);
  };
};

/**
 * `$pull`. A document without operators is a filter for elements that are documents; operators and patterns are conditions
 * on any element, which look into an inner array, too; any other value removes its equals.
 */
export const pull: Operator = (operand, _, context) => {
  const test = pullTest(operand, context);
  return (current, path) => arrayOf(current, path).filter((item) => !test(item));
};

function pullTest(operand: unknown, context: MatchContext): (item: unknown) => boolean {
  if (operand instanceof BSONRegExp || isValueCondition(operand)) {
    const test = compileFilter({ value: operand }, context);
    return (item) => test({ value: item });
  }
  if (isDocument(operand)) {
    refuseExpr(operand);
    const test = compileFilter(operand, context);
    return (item) => isDocument(item) && test(item);
  }
  return (item) => equalValues(operand, item, context.collator);
}

/** True for `{ $gt: 5 }`; false for `{ $or: […] }`, which is a filter, and for `{ $not: … }`, which no filter begins with. */
function isValueCondition(operand: unknown): boolean {
  const FILTERS = ['$and', '$or', '$nor', '$not', '$expr', '$where', '$text', '$comment', '$jsonSchema'];
  return isOperatorObject(operand) && !FILTERS.includes(Object.keys(operand as Document)[0] as string);
}

/** `$pullAll`. */
export const pullAll: Operator = (operand, _, { collator }) => {
  demand(Array.isArray(operand), 'BadValue', '$pullAll requires an array argument');
  const pulled = new ValueSet(operand, collator);
  return (current, path) => arrayOf(current, path).filter((item) => !pulled.has(item));
};

type Comparator = (a: unknown, b: unknown) => number;

/** `$push`. A negative position counts from the end. */
export const push: Operator = (operand, _, context) => {
  const spec = isDocument(operand) && '$each' in operand ? operand : { $each: [operand] };
  const { $each: items, $position, $slice, $sort, ...rest } = spec;
  const [unknown] = Object.keys(rest);
  demand(unknown === undefined, 'BadValue', `Unrecognized clause in $push: ${unknown}`);
  demand(Array.isArray(items), 'BadValue', '$each of $push must be an array');
  const position = '$position' in spec ? integer($position) : undefined;
  const slice = '$slice' in spec ? integer($slice) : Infinity;
  const order = '$sort' in spec ? comparator($sort, context) : undefined;
  const change: FieldChange = (current, path) => {
    const before = arrayOf(current, path);
    const at = position ?? before.length;
    const list = [...before.slice(0, at), ...items, ...before.slice(at)];
    if (order) {
      list.sort(order);
    }
    return slice < 0 ? list.slice(slice) : list.slice(0, slice);
  };
  change.alwaysModifies = order !== undefined;
  return change;
};

function integer(value: unknown): number {
  const isInteger = isNumeric(value) && Number.isInteger(Number(value));
  demand(isInteger, 'BadValue', '$position and $slice of $push must be integers');
  return Number(value);
}

/** `$sort: 1` sorts elements; `$sort: { 'a.b': -1 }` sorts documents by their fields. */
function comparator(sort: unknown, { collator }: MatchContext): Comparator {
  if (!isDocument(sort)) {
    const direction = directionOf(sort);
    return (a, b) => direction * compareValues(a, b, collator);
  }
  const orders = Object.entries(sort).map(([path, value]): Comparator => {
    const parts = splitPath(path);
    const direction = directionOf(value);
    demand(!parts.includes(''), 'BadValue', `an empty part in the $sort field ${path}`);
    const keyOf = (item: unknown) => (isDocument(item) ? getPath(item, parts) : null);
    return (a, b) => direction * compareValues(keyOf(a), keyOf(b), collator);
  });
  demand(orders.length > 0, 'BadValue', 'The $sort pattern is empty');
  return (a, b) => orders.reduce((order, next) => order || next(a, b), 0);
}

function directionOf(value: unknown): number {
  const direction = isNumeric(value) ? Number(value) : 0;
  demand(Math.abs(direction) === 1, 'BadValue', 'The $sort element value must be either 1 or -1');
  return direction;
}
