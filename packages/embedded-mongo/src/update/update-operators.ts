import { Long } from 'bson';
import { demand } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { add, asInteger, multiply } from '../values/arithmetic.ts';
import { compareValues } from '../values/compare.ts';
import { nextTimestamp } from '../values/next-timestamp.ts';
import { type BsonNumber, isNumeric } from '../values/numbers.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { addToSet, pop, pull, pullAll, push } from './array-operators.ts';
import { type FieldChange, KEEP, type Operator, REMOVE } from './field-change.ts';

/** The update operators, except `$rename`, which changes two fields. */
export const UPDATE_OPERATORS: Record<string, Operator> = {
  $set: (operand) => () => operand,
  $setOnInsert: (operand) => () => operand,
  $unset: () => (current) => (current === MISSING ? KEEP : REMOVE),
  $inc: arithmetic('$inc', add, (operand) => operand),
  $mul: arithmetic('$mul', multiply, (operand) => multiply(0, operand)),
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
  operation: (a: BsonNumber, b: BsonNumber) => BsonNumber,
  initial: (operand: BsonNumber) => BsonNumber,
): Operator {
  return (operand, path) => {
    demand(isNumeric(operand), 'TypeMismatch', `${name} of '${path}' with a ${bsonTypeName(operand)}`);
    return (current) => {
      if (current === MISSING) {
        return initial(operand);
      }
      demand(isNumeric(current), 'TypeMismatch', `${name} of '${path}', a ${bsonTypeName(current)}`);
      return operation(current, operand);
    };
  };
}

function extreme(direction: 1 | -1): Operator {
  return (operand, _, { collator }) =>
    (current) =>
      current === MISSING || compareValues(operand, current, collator) * direction > 0 ? operand : KEEP;
}

function currentDate(operand: unknown, path: string): FieldChange {
  const { $type: type, ...rest } = isDocument(operand)
    ? operand
    : { $type: typeof operand === 'boolean' && 'date' };
  const isKnown = ['date', 'timestamp'].includes(type) && Object.keys(rest).length === 0;
  demand(isKnown, 'BadValue', `${path} of $currentDate must be a boolean or {$type: 'date'|'timestamp'}`);
  return type === 'timestamp' ? nextTimestamp : () => new Date();
}

const BITWISE: Record<string, (a: bigint, b: bigint) => bigint> = {
  and: (a, b) => a & b,
  or: (a, b) => a | b,
  xor: (a, b) => a ^ b,
};

/** `{ and: 5, or: 1 }` does both, in this order. A long makes the result a long. */
function bit(operand: unknown, path: string): FieldChange {
  const operations = (isDocument(operand) ? Object.entries(operand) : []).map(([name, mask]) => {
    const combine = lookUp(BITWISE, name);
    demand(combine && isInteger(mask), 'BadValue', `$bit takes {and|or|xor: <integer>} for '${path}'`);
    return { combine, mask };
  });
  demand(operations.length > 0, 'BadValue', `$bit takes {and|or|xor: <integer>} for '${path}'`);
  return (current = 0) => {
    demand(isInteger(current), 'BadValue', `Cannot apply $bit to a value of non-integral type: '${path}'`);
    const big = operations.reduce(
      (a, { combine, mask }) => combine(a, BigInt(String(mask))),
      BigInt(String(current)),
    );
    const isLong = [current, ...operations.map(({ mask }) => mask)].some(
      (each) => bsonTypeName(each) === 'long',
    );
    return isLong ? Long.fromBigInt(big) : asInteger(big);
  };
}

function isInteger(value: unknown): boolean {
  return ['int', 'long'].includes(bsonTypeName(value));
}
