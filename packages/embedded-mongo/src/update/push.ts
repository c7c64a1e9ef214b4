import { demand } from '../base/errors.ts';
import { compareValues } from '../values/compare.ts';
import type { MatchContext } from '../values/match-context.ts';
import { splitPath } from '../values/names.ts';
import { isNumeric } from '../values/numbers.ts';
import { getPath } from '../values/set-path.ts';
import { isDocument } from '../values/types.ts';
import { arrayOf } from './array-operators.ts';
import type { Operator } from './field-change.ts';

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
  return (current, path) => {
    const before = arrayOf(current, path);
    const at = position ?? before.length;
    const list = [...before.slice(0, at), ...items, ...before.slice(at)];
    if (order) {
      list.sort(order);
    }
    return slice < 0 ? list.slice(slice) : list.slice(0, slice);
  };
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
