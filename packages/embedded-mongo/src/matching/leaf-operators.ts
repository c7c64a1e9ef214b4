import { Long } from 'bson';
import { mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { equalValues } from '../values/compare.ts';
import { display } from '../values/display.ts';
import { isNumeric } from '../values/numbers.ts';
import { bsonTypeOf, TYPE_CODES } from '../values/type-names.ts';
import { MISSING } from '../values/types.ts';
import { equals, inList, ordered } from './comparisons.ts';
import { truncated } from './integers.ts';
import type { LeafOperator, Test } from './leaf-operator.ts';
import { compileRegex } from './regex.ts';

/** The operators on one value. The others ($not, $ne, $nin, $all, $exists, $elemMatch) are built from tests. */
export const LEAF_OPERATORS: Record<string, LeafOperator> = {
  $eq: { expandsLast: true, compile: equals },
  $gt: { expandsLast: true, compile: ordered((order) => order > 0) },
  $gte: { expandsLast: true, compile: ordered((order) => order >= 0) },
  $lt: { expandsLast: true, compile: ordered((order) => order < 0) },
  $lte: { expandsLast: true, compile: ordered((order) => order <= 0) },
  $in: { expandsLast: true, compile: inList },
  $type: { expandsLast: true, compile: ofType },
  $size: { expandsLast: false, compile: ofSize },
  $mod: { expandsLast: true, compile: modulo },
  $regex: { expandsLast: true, compile: compileRegex },
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
  if (!isNumeric(name)) {
    throw mongoError('TypeMismatch', 'type must be represented as a number or a string');
  }
  const code = Number(name);
  if (!Object.values(TYPE_CODES).includes(code)) {
    throw mongoError('BadValue', `Invalid numerical type code: ${name}`);
  }
  return [code];
}

function ofSize(operand: unknown): Test {
  const size = truncated(operand);
  if (size === undefined || !equalValues(operand, Long.fromBigInt(size)) || size < 0n || size > 0x7fffffffn) {
    throw mongoError('BadValue', `$size needs a non-negative integer, not ${display(operand)}`);
  }
  return (value) => Array.isArray(value) && value.length === Number(size);
}

/** It works on whole numbers of 64 bits: fractions are cut off, and numbers outside match nothing. */
function modulo(operand: unknown): Test {
  if (!Array.isArray(operand) || operand.length !== 2) {
    throw mongoError('BadValue', 'malformed mod, needs to be an array of two elements');
  }
  const [divisor, remainder] = operand.map(truncated);
  if (divisor === undefined || remainder === undefined) {
    throw mongoError('BadValue', 'malformed mod, divisor or remainder value is invalid');
  }
  if (divisor === 0n) {
    throw mongoError('BadValue', 'divisor cannot be 0');
  }
  return (value) => {
    const dividend = truncated(value);
    return dividend !== undefined && dividend % divisor === remainder;
  };
}
