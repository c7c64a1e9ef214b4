import { Long } from 'bson';
import { mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { add, asInteger, multiply } from '../values/arithmetic.ts';
import { compareValues } from '../values/compare.ts';
import { display } from '../values/display.ts';
import { splitPath } from '../values/names.ts';
import { nextTimestamp } from '../values/next-timestamp.ts';
import { type BsonNumber, isNumeric } from '../values/numbers.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { addToSet, pop, pull, pullAll } from './array-operators.ts';
import { type FieldChange, KEEP, type Operator, REMOVE } from './field-change.ts';
import { push } from './push.ts';

/** The update operators, except `$rename`, which changes two fields. */
export const UPDATE_OPERATORS: Record<string, Operator> = {
  $set: (operand) => () => operand,
  $setOnInsert: (operand) => () => operand,
  $unset: () => (current) => (current === MISSING ? KEEP : REMOVE),
  $inc: arithmetic('$inc', 'increment', add, (operand) => operand),
  $mul: arithmetic('$mul', 'multiply', multiply, (operand) => multiply(0, operand)),
  $min: extreme(-1),
  $max: extreme(1),
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
  initial: (operand: BsonNumber) => BsonNumber,
): Operator {
  return (operand, path) => {
    if (!isNumeric(operand)) {
      const message = `Cannot ${verb} with non-numeric argument: {${path}: ${display(operand)}}`;
      throw mongoError('TypeMismatch', message);
    }
    return (current, _, document) => {
      if (current === MISSING) {
        return initial(operand);
      }
      if (isNumeric(current)) {
        return operation(current, operand);
      }
      const field = `has the field '${splitPath(path).at(-1)}' of non-numeric type ${bsonTypeName(current)}`;
      const message = `Cannot apply ${name} to a value of non-numeric type. {_id: ${display(document._id)}} ${field}`;
      throw mongoError('TypeMismatch', message);
    };
  };
}

function extreme(direction: 1 | -1): Operator {
  return (operand, _, { collator }) =>
    (current) =>
      current === MISSING || compareValues(operand, current, collator) * direction > 0 ? operand : KEEP;
}

function currentDate(operand: unknown, path: string): FieldChange {
  const options = isDocument(operand) ? Object.keys(operand) : [];
  const type = isDocument(operand) && options.length === 1 ? operand.$type : undefined;
  if (type === 'timestamp') {
    return nextTimestamp;
  }
  if (typeof operand === 'boolean' || type === 'date') {
    return () => new Date();
  }
  const message = `${path} is not valid type for $currentDate: a boolean or {$type: 'date'|'timestamp'} is`;
  throw mongoError('BadValue', message);
}

const BITWISE: Record<string, (a: bigint, b: bigint) => bigint> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

/** `{ and: 5, or: 1 }` does both, in this order. A long makes the result a long. */
function bit(operand: unknown, path: string): FieldChange {
  const operations = isDocument(operand) ? Object.entries(operand) : [];
  if (
    operations.length === 0 ||
    !operations.every(([name, mask]) => lookUp(BITWISE, name) && isInteger(mask))
  ) {
    const message = `The $bit modifier takes {and|or|xor: <integer>}, not ${display(operand)} for '${path}'`;
    throw mongoError('BadValue', message);
  }
  const isLong = operations.some(([, mask]) => bsonTypeName(mask) === 'long');
  return (current = 0) => {
    if (!isInteger(current)) {
      throw mongoError('BadValue', `Cannot apply $bit to a value of non-integral type: '${path}'`);
    }
    const combine = (value: bigint, [name, mask]: [string, unknown]) =>
      (BITWISE[name] as (a: bigint, b: bigint) => bigint)(value, BigInt(String(mask)));
    const result = operations.reduce(combine, BigInt(String(current)));
    return isLong || bsonTypeName(current) === 'long' ? Long.fromBigInt(result) : asInteger(result);
  };
}

function isInteger(value: unknown): boolean {
  return ['int', 'long'].includes(bsonTypeName(value));
}
