import { BSONRegExp, type Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { isOperatorObject } from '../matching/leaf-operator.ts';
import { compileFilter } from '../matching/matcher.ts';
import { equalValues } from '../values/compare.ts';
import { display } from '../values/display.ts';
import type { MatchContext } from '../values/match-context.ts';
import { isNumeric } from '../values/numbers.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { ValueSet } from '../values/value-set.ts';
import { refuseExpr } from './array-filters.ts';
import type { FieldChange } from './field-change.ts';

/** The elements of an array that an operator changes; none of a missing field. Throws BadValue (2) for anything else. */
export function arrayOf(
  current: unknown,
  operator: string,
  path: string,
  document: Document,
): readonly unknown[] {
  if (current === MISSING) {
    return [];
  }
  if (Array.isArray(current)) {
    return current;
  }
  const found = `but is of type ${bsonTypeName(current)} in document {_id: ${display(document._id)}}`;
  throw mongoError('BadValue', `Cannot apply ${operator}: the field '${path}' must be an array ${found}`);
}

/** `$addToSet`. */
export function addToSet(operand: unknown, path: string, { collator }: MatchContext): FieldChange {
  const items = new ValueSet(itemsToAdd(operand), collator).values;
  return (current, _, document) => {
    const list = arrayOf(current, '$addToSet', path, document);
    const known = new ValueSet(list, collator);
    return [...list, ...items.filter((item) => !known.has(item))];
  };
}

function itemsToAdd(operand: unknown): unknown[] {
  if (!isDocument(operand) || Object.keys(operand)[0] !== '$each') {
    return [operand];
  }
  const { $each, ...rest } = operand;
  if (!Array.isArray($each)) {
    const found = `it was of type ${bsonTypeName($each)}`;
    throw mongoError('TypeMismatch', `The argument to $each in $addToSet must be an array but ${found}`);
  }
  if (Object.keys(rest).length > 0) {
    throw mongoError('BadValue', `Found unexpected fields after $each in $addToSet: ${display(rest)}`);
  }
  return $each;
}

/** `$pop`: 1 removes the last element, -1 the first. */
export function pop(operand: unknown, path: string): FieldChange {
  const end = isNumeric(operand) ? Number(operand) : 0;
  if (end !== 1 && end !== -1) {
    throw mongoError('FailedToParse', `$pop expects 1 or -1, found: ${display(operand)}`);
  }
  return (current) => {
    if (!Array.isArray(current)) {
      const message = `Path '${path}' contains an element of non-array type '${bsonTypeName(current)}'`;
      throw mongoError('TypeMismatch', message);
    }
    return end === 1 ? current.slice(0, -1) : current.slice(1);
  };
}

/**
 * `$pull`. A document without operators is a filter for elements that are documents; operators and patterns are conditions
 * on any element, which look into an inner array, too; any other value removes its equals.
 */
export function pull(operand: unknown, path: string, context: MatchContext): FieldChange {
  const test = pullTest(operand, context);
  return (current, _, document) => arrayOf(current, '$pull', path, document).filter((item) => !test(item));
}

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
  return isOperatorObject(operand) && !FILTERS.includes(Object.keys(operand)[0] as string);
}

/** `$pullAll`. */
export function pullAll(operand: unknown, path: string, { collator }: MatchContext): FieldChange {
  if (!Array.isArray(operand)) {
    throw mongoError(
      'BadValue',
      `$pullAll requires an array argument but was given a ${bsonTypeName(operand)}`,
    );
  }
  const pulled = new ValueSet(operand, collator);
  return (current, _, document) =>
    arrayOf(current, '$pullAll', path, document).filter((item) => !pulled.has(item));
}
