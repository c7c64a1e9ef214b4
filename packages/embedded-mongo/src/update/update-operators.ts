import { type Document, Long, Timestamp } from 'bson';
import { mongoError } from '../base/errors.ts';
import { isOperatorObject, type MatchContext } from '../matching/match-operators.ts';
import { compileFilter } from '../matching/matcher.ts';
import { add, asInteger, isNumeric, multiply } from '../values/arithmetic.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import type { BsonNumber } from '../values/numbers.ts';
import { getPath } from '../values/update-paths.ts';
import { bsonTypeName, display, isDocument, MISSING } from '../values/values.ts';

/** An operator's answer when the field stays as it is, and when it goes. */
export const KEEP = Symbol('keep');
export const REMOVE = Symbol('remove');

/** What becomes of one field: its new value, KEEP or REMOVE. */
export type FieldChange = (current: unknown, path: string, document: Document) => unknown;

/** Checks an operator's operand for one path and gives the change it makes. */
type Operator = (operand: unknown, path: string, context: MatchContext) => FieldChange;

export const UPDATE_OPERATORS: Record<string, Operator> = {
  $set: (operand) => () => operand,
  $setOnInsert: (operand) => () => operand,
  $unset: () => () => REMOVE,
  $inc: arithmetic('$inc', 'increment', add, 0),
  $mul: arithmetic('$mul', 'multiply', multiply, 0),
  $min: (operand, _, context) => (current) => extreme(current, operand, -1, context),
  $max: (operand, _, context) => (current) => extreme(current, operand, 1, context),
  $currentDate: currentDate,
  $push: push,
  $addToSet: addToSet,
  $pop: pop,
  $pull: pull,
  $pullAll: pullAll,
  $bit: bit,
};

function arithmetic(
  name: string,
  verb: string,
  operation: (a: BsonNumber, b: BsonNumber) => BsonNumber,
  initial: number,
): Operator {
  return (operand, path) => {
    if (!isNumeric(operand)) {
      throw mongoError(
        'TypeMismatch',
        `Cannot ${verb} with non-numeric argument: {${path}: ${display(operand)}}`,
      );
    }
    return (current, _, document) => {
      if (current === MISSING) return name === '$inc' ? operand : operation(initial, operand);
      if (isNumeric(current)) return operation(current, operand);
      const field = `has the field '${path.split('.').at(-1)}' of non-numeric type ${bsonTypeName(current)}`;
      const message = `Cannot apply ${name} to a value of non-numeric type. {_id: ${display(document._id)}} ${field}`;
      throw mongoError('TypeMismatch', message);
    };
  };
}

function extreme(current: unknown, operand: unknown, direction: 1 | -1, { collator }: MatchContext): unknown {
  if (current === MISSING) return operand;
  return compareValues(operand, current, collator) * direction > 0 ? operand : KEEP;
}

function currentDate(operand: unknown, path: string): FieldChange {
  const type = isDocument(operand) ? operand.$type : operand;
  if (type === 'timestamp') {
    return () => new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 });
  }
  if (typeof type === 'boolean' || type === 'date') return () => new Date();
  throw mongoError(
    'BadValue',
    `${path} is not valid type for $currentDate: a boolean or {$type: 'date'|'timestamp'} is`,
  );
}

interface PushSpec {
  items: unknown[];
  position: number | undefined;
  slice: number | undefined;
  sort: unknown;
}

function push(operand: unknown, path: string, context: MatchContext): FieldChange {
  const { items, position, slice, sort } = pushSpec(operand);
  return (current, _, document) => {
    const list = [...arrayOf(current, path, document)];
    list.splice(position ?? list.length, 0, ...items);
    if (sort !== undefined) list.sort(sorter(sort, context));
    if (slice === undefined) return list;
    return slice < 0 ? list.slice(slice) : list.slice(0, slice);
  };
}

function pushSpec(operand: unknown): PushSpec {
  const none = { position: undefined, slice: undefined, sort: undefined };
  if (!isDocument(operand) || !('$each' in operand)) return { items: [operand], ...none };
  const { $each, $position, $slice, $sort, ...rest } = operand;
  const unknown = Object.keys(rest)[0];
  if (unknown) throw mongoError('BadValue', `Unrecognized clause in $push: ${unknown}`);
  if (!Array.isArray($each)) throw mongoError('BadValue', 'The argument to $each in $push must be an array');
  return {
    items: $each,
    position: integer('$position', $position),
    slice: integer('$slice', $slice),
    sort: $sort,
  };
}

function integer(name: string, value: unknown): number | undefined {
  if (value === undefined) return undefined;
  if (!isNumeric(value) || !Number.isInteger(Number(value))) {
    throw mongoError(
      'BadValue',
      `The value for ${name} must be an integer value but was given type: ${bsonTypeName(value)}`,
    );
  }
  return Number(value);
}

/** `$sort: 1` sorts the elements, `$sort: { 'a.b': -1 }` documents by their fields. */
function sorter(sort: unknown, { collator }: MatchContext): (a: unknown, b: unknown) => number {
  if (!isDocument(sort)) return (a, b) => Number(sort) * compareValues(a, b, collator);
  const fields = Object.entries(sort).map(([path, direction]) => ({
    parts: path.split('.'),
    direction: Number(direction),
  }));
  return (a, b) => {
    for (const { parts, direction } of fields) {
      const order = direction * compareValues(getPath(a, parts), getPath(b, parts), collator);
      if (order !== 0) return order;
    }
    return 0;
  };
}

function arrayOf(current: unknown, path: string, document: Document): readonly unknown[] {
  if (current === MISSING) return [];
  if (Array.isArray(current)) return current;
  const where = `in document {_id: ${display(document._id)}}`;
  throw mongoError(
    'BadValue',
    `The field '${path}' must be an array but is of type ${bsonTypeName(current)} ${where}`,
  );
}

function addToSet(operand: unknown, path: string, { collator }: MatchContext): FieldChange {
  const items = isDocument(operand) && '$each' in operand ? operand.$each : [operand];
  if (!Array.isArray(items)) {
    throw mongoError(
      'TypeMismatch',
      `The argument to $each in $addToSet must be an array but it was of type ${bsonTypeName(items)}`,
    );
  }
  return (current, _, document) => {
    const list = [...arrayOf(current, path, document)];
    for (const item of items) if (!list.some((each) => equalValues(each, item, collator))) list.push(item);
    return list;
  };
}

function pop(operand: unknown, path: string): FieldChange {
  const end = Number(operand);
  if (end !== 1 && end !== -1)
    throw mongoError('FailedToParse', `$pop expects 1 or -1, found: ${display(operand)}`);
  return (current) => {
    if (current === MISSING) return KEEP;
    if (!Array.isArray(current)) {
      throw mongoError(
        'TypeMismatch',
        `Path '${path}' contains an element of non-array type '${bsonTypeName(current)}'`,
      );
    }
    return end === 1 ? current.slice(0, -1) : current.slice(1);
  };
}

/** `$pull: { a: 5 }`, `{ a: { $gt: 5 } }`, or, against documents, `{ a: { b: 5 } }`. */
function pull(operand: unknown, _: string, context: MatchContext): FieldChange {
  const onValues = !isDocument(operand) || isOperatorObject(operand);
  const test = compileFilter(onValues ? { value: operand } : operand, context);
  return removing('$pull', (item) => (onValues ? test({ value: item }) : isDocument(item) && test(item)));
}

function pullAll(operand: unknown, _: string, { collator }: MatchContext): FieldChange {
  if (!Array.isArray(operand))
    throw mongoError('BadValue', '$pullAll requires an array argument but was given a value');
  return removing('$pullAll', (item) => operand.some((each) => equalValues(each, item, collator)));
}

function removing(name: string, isRemoved: (item: unknown) => boolean): FieldChange {
  return (current) => {
    if (current === MISSING) return KEEP;
    if (!Array.isArray(current)) throw mongoError('BadValue', `Cannot apply ${name} to a non-array value`);
    return current.filter((item) => !isRemoved(item));
  };
}

function bit(operand: unknown, path: string): FieldChange {
  const [operation, mask] = Object.entries(isDocument(operand) ? operand : {})[0] ?? [];
  const isInteger = (value: unknown) => bsonTypeName(value) === 'int' || bsonTypeName(value) === 'long';
  if (!isInteger(mask) || !['and', 'or', 'xor'].includes(operation ?? '')) {
    throw mongoError(
      'BadValue',
      `The $bit modifier takes {and|or|xor: <integer>}, not ${display(operand)} for '${path}'`,
    );
  }
  return (current) => {
    if (current !== MISSING && !isInteger(current))
      throw mongoError('BadValue', `Cannot apply $bit to a value of non-integral type: '${path}'`);
    const [a, b] = [BigInt(String(current ?? 0)), BigInt(String(mask))];
    const result = operation === 'and' ? a & b : operation === 'or' ? a | b : a ^ b;
    const isLong = current instanceof Long || mask instanceof Long;
    return isLong ? Long.fromBigInt(result) : asInteger(result);
  };
}
