import { BSONRegExp, type Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { isOperatorObject } from '../matching/leaf-operator.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import { outerName, splitPath } from '../values/names.ts';
import { setPath } from '../values/set-path.ts';
import { isReplacement } from './update.ts';

type Equality = [path: string, value: unknown];

/**
 * The document that an upsert starts from: the fields that the filter compares with one value, in the order of their paths.
 * A replacement takes only `_id`.
 * @throws CommandError NotSingleValueField (54), NotExactValueField (111)
 */
export function upsertBase(filter: Document, update: unknown): Document {
  const isNeeded = ([path]: Equality) => !isReplacement(update) || splitPath(path)[0] === '_id';
  const found = equalities(filter).filter(isNeeded);
  const base: Document = {};
  const seen: string[][] = [];
  for (const [path, value] of found.sort(([a], [b]) => compareValues(outerName(a), outerName(b)))) {
    const parts = splitPath(path);
    if (seen.some((other) => other.every((part, i) => part === parts[i]))) {
      const message = `cannot infer query fields to set, path '${path}' is matched twice`;
      throw mongoError('NotSingleValueField', message);
    }
    if (isReplacement(update) && parts.length > 1) {
      const message = `field at '_id' must be exactly specified, field at sub-path '${path}' found`;
      throw mongoError('NotExactValueField', message);
    }
    seen.push(parts);
    setPath(base, parts, value);
  }
  return base;
}

function equalities(filter: Document): Equality[] {
  return Object.entries(filter).flatMap(([path, condition]) => {
    if (path === '$and') {
      return (condition as Document[]).flatMap(equalities);
    }
    if (path === '$or') {
      return commonEquality(condition as Document[]);
    }
    if (path.startsWith('$') || condition instanceof BSONRegExp) {
      return [];
    }
    return isOperatorObject(condition) ? operatorEqualities(path, condition) : [[path, condition]];
  });
}

/** MongoDB rewrites an `$or` of one clause, or of equal ones. */
function commonEquality(clauses: readonly Document[]): Equality[] {
  const [first = [], ...others] = clauses.map(equalities);
  if (clauses.every((clause) => equalValues(clause, clauses[0]))) {
    return first;
  }
  if (first.length > 0 && others.every((other) => equalValues(other, first))) {
    const message = 'an upsert with $or on one value is not implemented by the embedded engine';
    throw mongoError('NotImplemented', message);
  }
  return [];
}

function operatorEqualities(path: string, condition: Document): Equality[] {
  return Object.entries(condition).flatMap(([operator, operand]): Equality[] => {
    if (operator === '$eq') {
      return [[path, operand]];
    }
    if (operator === '$all' && Array.isArray(operand)) {
      const values = operand.filter((item) => !isOperatorObject(item) && !(item instanceof BSONRegExp));
      return values.map((item) => [path, item]);
    }
    const [first, ...others] = operator === '$in' && Array.isArray(operand) ? operand : [];
    const isOne = first !== undefined && others.every((other) => equalValues(first, other));
    return isOne && !(first instanceof BSONRegExp) ? [[path, first]] : [];
  });
}
