import { mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { isNumeric } from '../values/numbers.ts';
import { bsonTypeOf, TYPE_CODES } from '../values/type-names.ts';
import { MISSING } from '../values/types.ts';
import { equals, inList, ordered } from './comparisons.ts';
import type { LeafOperator, Test } from './leaf-operator.ts';
import { matches, toRegex } from './regex.ts';

/** The operators on one value. The matcher builds `$not`, `$ne`, `$nin` and `$all` from these. */
export const LEAF_OPERATORS: Record<string, LeafOperator> = {
  $eq: { expandsLast: true, compile: (operand, _, context) => equals(operand, context.collator) },
  $gt: { expandsLast: true, compile: ordered((order) => order > 0) },
  $gte: { expandsLast: true, compile: ordered((order) => order >= 0) },
  $lt: { expandsLast: true, compile: ordered((order) => order < 0) },
  $lte: { expandsLast: true, compile: ordered((order) => order <= 0) },
  $in: { expandsLast: true, compile: inList },
  $type: { expandsLast: true, compile: ofType },
  $size: { expandsLast: false, compile: ofSize },
  $mod: { expandsLast: true, compile: modulo },
  $regex: {
    expandsLast: true,
    compile: (operand, siblings) => matches(toRegex(operand, siblings.$options)),
  },
};

function ofType(operand: unknown): Test {
  const wanted = new Set((Array.isArray(operand) ? operand : [operand]).flatMap(typeCodes));
  if (wanted.size === 0) {
    throw mongoError('FailedToParse', '$type must match at least one type');
  }
  return (value) => value !== MISSING && wanted.has(bsonTypeOf(value));
}

function typeCodes(name: unknown): number[] {
  if (name === 'number') {
    return ['double', 'int', 'long', 'decimal'].flatMap(typeCodes);
  }
  if (typeof name === 'string') {
    const code = lookUp(TYPE_CODES, name);
    if (code === undefined) {
      throw mongoError('BadValue', `Unknown type name alias: ${name}`);
    }
    return [code];
  }
  const code = Number(name);
  if (!Object.values(TYPE_CODES).includes(code)) {
    throw mongoError('BadValue', `Invalid numerical type code: ${name}`);
  }
  return [code];
}

function ofSize(operand: unknown): Test {
  const size = Number(operand);
  if (!Number.isInteger(size)) {
    throw mongoError('BadValue', `Failed to parse $size. Expected an integer: ${operand}`);
  }
  if (size < 0) {
    throw mongoError('BadValue', `Failed to parse $size. Expected a non-negative number in: ${size}`);
  }
  return (value) => Array.isArray(value) && value.length === size;
}

function modulo(operand: unknown): Test {
  if (!Array.isArray(operand) || operand.length !== 2) {
    throw mongoError('BadValue', 'malformed mod, needs to be an array of two elements');
  }
  const [divisor, remainder] = operand.map((item) => Math.trunc(Number(item)));
  if (!divisor) {
    throw mongoError('BadValue', 'divisor cannot be 0');
  }
  return (value) => isNumeric(value) && Math.trunc(Number(value)) % divisor === remainder;
}
