import { Long, Timestamp } from 'bson';
import { mongoError } from '../base/errors.ts';
import { add, asInteger, multiply } from '../values/arithmetic.ts';
import { compareValues } from '../values/compare.ts';
import { display } from '../values/display.ts';
import type { MatchContext } from '../values/match-context.ts';
import { splitPath } from '../values/names.ts';
import { type BsonNumber, isNumeric } from '../values/numbers.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { addToSet, pop, pull, pullAll, push } from './array-operators.ts';
import { type FieldChange, KEEP, type Operator, REMOVE } from './field-change.ts';

/** The update operators, except `$rename`, which changes two fields. */
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
      if (current === MISSING) {
        return name === '$inc' ? operand : operation(initial, operand);
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

function extreme(current: unknown, operand: unknown, direction: 1 | -1, { collator }: MatchContext): unknown {
  if (current === MISSING) {
    return operand;
  }
  return compareValues(operand, current, collator) * direction > 0 ? operand : KEEP;
}

function currentDate(operand: unknown, path: string): FieldChange {
  const type = isDocument(operand) ? operand.$type : operand;
  if (type === 'timestamp') {
    return () => new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 });
  }
  if (typeof type === 'boolean' || type === 'date') {
    return () => new Date();
  }
  throw mongoError(
    'BadValue',
    `${path} is not valid type for $currentDate: a boolean or {$type: 'date'|'timestamp'} is`,
  );
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
    if (current !== MISSING && !isInteger(current)) {
      throw mongoError('BadValue', `Cannot apply $bit to a value of non-integral type: '${path}'`);
    }
    const [a, b] = [BigInt(String(current ?? 0)), BigInt(String(mask))];
    const result = operation === 'and' ? a & b : operation === 'or' ? a | b : a ^ b;
    const isLong = current instanceof Long || mask instanceof Long;
    return isLong ? Long.fromBigInt(result) : asInteger(result);
  };
}
