import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { isOperatorObject } from '../matching/leaf-operator.ts';
import { compileFilter } from '../matching/matcher.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import { display } from '../values/display.ts';
import type { MatchContext } from '../values/match-context.ts';
import { splitPath } from '../values/names.ts';
import { isNumeric } from '../values/numbers.ts';
import { getPath } from '../values/set-path.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { type FieldChange, KEEP } from './field-change.ts';

/** The modifiers of a `$push`. */
interface PushSpec {
  items: unknown[];
  position: number | undefined;
  slice: number | undefined;
  sort: unknown;
}

/** `$push`. */
export function push(operand: unknown, path: string, context: MatchContext): FieldChange {
  const { items, position, slice, sort } = pushSpec(operand);
  return (current, _, document) => {
    const list = [...arrayOf(current, path, document)];
    list.splice(position ?? list.length, 0, ...items);
    if (sort !== undefined) {
      list.sort(sorter(sort, context));
    }
    if (slice === undefined) {
      return list;
    }
    return slice < 0 ? list.slice(slice) : list.slice(0, slice);
  };
}

function pushSpec(operand: unknown): PushSpec {
  const none = { position: undefined, slice: undefined, sort: undefined };
  if (!isDocument(operand) || !('$each' in operand)) {
    return { items: [operand], ...none };
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
    position: integer('$position', $position),
    slice: integer('$slice', $slice),
    sort: $sort,
  };
}

function integer(name: string, value: unknown): number | undefined {
  if (value === undefined) {
    return undefined;
  }
  if (!isNumeric(value) || !Number.isInteger(Number(value))) {
    throw mongoError(
      'BadValue',
      `The value for ${name} must be an integer value but was given type: ${bsonTypeName(value)}`,
    );
  }
  return Number(value);
}

/** `$sort: 1` sorts elements; `$sort: { 'a.b': -1 }` sorts documents by their fields. */
function sorter(sort: unknown, { collator }: MatchContext): (a: unknown, b: unknown) => number {
  if (!isDocument(sort)) {
    return (a, b) => Number(sort) * compareValues(a, b, collator);
  }
  const fields = Object.entries(sort).map(([path, direction]) => ({
    parts: splitPath(path),
    direction: Number(direction),
  }));
  return (a, b) => {
    for (const { parts, direction } of fields) {
      const order = direction * compareValues(getPath(a, parts), getPath(b, parts), collator);
      if (order !== 0) {
        return order;
      }
    }
    return 0;
  };
}

function arrayOf(current: unknown, path: string, document: Document): readonly unknown[] {
  if (current === MISSING) {
    return [];
  }
  if (Array.isArray(current)) {
    return current;
  }
  const where = `in document {_id: ${display(document._id)}}`;
  throw mongoError(
    'BadValue',
    `The field '${path}' must be an array but is of type ${bsonTypeName(current)} ${where}`,
  );
}

/** `$addToSet`. */
export function addToSet(operand: unknown, path: string, { collator }: MatchContext): FieldChange {
  const items = isDocument(operand) && '$each' in operand ? operand.$each : [operand];
  if (!Array.isArray(items)) {
    throw mongoError(
      'TypeMismatch',
      `The argument to $each in $addToSet must be an array but it was of type ${bsonTypeName(items)}`,
    );
  }
  return (current, _, document) => {
    const list = [...arrayOf(current, path, document)];
    for (const item of items) {
      if (!list.some((each) => equalValues(each, item, collator))) {
        list.push(item);
      }
    }
    return list;
  };
}

/** `$pop`: 1 removes the last element, -1 the first. */
export function pop(operand: unknown, path: string): FieldChange {
  const end = Number(operand);
  if (end !== 1 && end !== -1) {
    throw mongoError('FailedToParse', `$pop expects 1 or -1, found: ${display(operand)}`);
  }
  return (current) => {
    if (current === MISSING) {
      return KEEP;
    }
    if (!Array.isArray(current)) {
      throw mongoError(
        'TypeMismatch',
        `Path '${path}' contains an element of non-array type '${bsonTypeName(current)}'`,
      );
    }
    return end === 1 ? current.slice(0, -1) : current.slice(1);
  };
}

/** `$pull: { a: 5 }`, `{ a: { $gt: 5 } }` or, for documents, `{ a: { b: 5 } }`. */
export function pull(operand: unknown, _: string, context: MatchContext): FieldChange {
  const onValues = !isDocument(operand) || isOperatorObject(operand);
  const test = compileFilter(onValues ? { value: operand } : operand, context);
  return removing('$pull', (item) => (onValues ? test({ value: item }) : isDocument(item) && test(item)));
}

/** `$pullAll`. */
export function pullAll(operand: unknown, _: string, { collator }: MatchContext): FieldChange {
  if (!Array.isArray(operand)) {
    throw mongoError('BadValue', '$pullAll requires an array argument but was given a value');
  }
  return removing('$pullAll', (item) => operand.some((each) => equalValues(each, item, collator)));
}

function removing(name: string, isRemoved: (item: unknown) => boolean): FieldChange {
  return (current) => {
    if (current === MISSING) {
      return KEEP;
    }
    if (!Array.isArray(current)) {
      throw mongoError('BadValue', `Cannot apply ${name} to a non-array value`);
    }
    return current.filter((item) => !isRemoved(item));
  };
}
