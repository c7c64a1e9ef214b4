import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { compareValues } from '../values/compare.ts';
import type { MatchContext } from '../values/match-context.ts';
import { splitPath } from '../values/names.ts';
import { isNumeric } from '../values/numbers.ts';
import { getPath } from '../values/set-path.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument } from '../values/types.ts';
import { arrayOf } from './array-operators.ts';
import type { FieldChange } from './field-change.ts';

/** The modifiers of a `$push`. */
interface PushSpec {
  items: unknown[];
  position?: number | undefined;
  slice?: number | undefined;
  order?: ((a: unknown, b: unknown) => number) | undefined;
}

/** `$push`. A negative position counts from the end. */
export function push(operand: unknown, path: string, context: MatchContext): FieldChange {
  const { items, position, slice, order } = pushSpec(operand, context);
  return (current, _, document) => {
    const before = arrayOf(current, '$push', path, document);
    const at = position ?? before.length;
    const list = [...before.slice(0, at), ...items, ...before.slice(at)];
    if (order) {
      list.sort(order);
    }
    if (slice === undefined) {
      return list;
    }
    return slice < 0 ? list.slice(slice) : list.slice(0, slice);
  };
}

function pushSpec(operand: unknown, context: MatchContext): PushSpec {
  if (!isDocument(operand) || !('$each' in operand)) {
    return { items: [operand] };
  }
  const { $each, $position, $slice, $sort, ...rest } = operand;
  const unknown = Object.keys(rest)[0];
  if (unknown) {
    throw mongoError('BadValue', `Unrecognized clause in $push: ${unknown}`);
  }
  if (!Array.isArray($each)) {
    throw mongoError('BadValue', 'The argument to $each in $push must be an array');
  }
  return {
    items: $each,
    position: '$position' in operand ? integer('$position', $position) : undefined,
    slice: '$slice' in operand ? integer('$slice', $slice) : undefined,
    order: '$sort' in operand ? sorter($sort, context) : undefined,
  };
}

function integer(name: string, value: unknown): number {
  if (!isNumeric(value) || !Number.isInteger(Number(value))) {
    const message = `The value for ${name} must be an integer value but was given type: ${bsonTypeName(value)}`;
    throw mongoError('BadValue', message);
  }
  return Number(value);
}

/** `$sort: 1` sorts elements; `$sort: { 'a.b': -1 }` sorts documents by their fields. */
function sorter(sort: unknown, { collator }: MatchContext): (a: unknown, b: unknown) => number {
  if (!isDocument(sort)) {
    const direction = directionOf(sort);
    return (a, b) => direction * compareValues(a, b, collator);
  }
  const fields = Object.entries(sort).map(([path, direction]) => {
    const parts = splitPath(path);
    if (parts.includes('')) {
      throw mongoError('BadValue', `The $sort field is empty or has an empty part: ${path}`);
    }
    return { parts, direction: directionOf(direction) };
  });
  if (fields.length === 0) {
    throw mongoError('BadValue', 'The $sort pattern is empty when it should be a set of fields.');
  }
  const keyOf = (value: unknown, parts: string[]) =>
    isDocument(value) ? getPath(value as Document, parts) : null;
  return (a, b) => {
    for (const { parts, direction } of fields) {
      const order = direction * compareValues(keyOf(a, parts), keyOf(b, parts), collator);
      if (order !== 0) {
        return order;
      }
    }
    return 0;
  };
}

function directionOf(value: unknown): number {
  const direction = isNumeric(value) ? Number(value) : 0;
  if (direction !== 1 && direction !== -1) {
    throw mongoError('BadValue', 'The $sort element value must be either 1 or -1');
  }
  return direction;
}
