import { BSONRegExp, type Document } from 'bson';
import { demand, refuse } from '../base/errors.ts';
import { isOperatorObject } from '../matching/leaf-operator.ts';
import { compareValues, equalValues } from '../values/compare.ts';
import { outerName, splitPath } from '../values/names.ts';
import { setPath } from '../values/set-path.ts';
import { isReplacement } from './update.ts';

type Equality = [path: string, value: unknown];

/**
 * The document that an upsert starts from: the fields that the filter compares with one value, in the order of their paths. MongoDB keeps them
 * in a hash map, so it has no order of its own (src/mongo/db/update/path_support.h).
 * A replacement takes only `_id`.
 * @throws CommandError NotSingleValueField (54), NotExactValueField (111); NotImplemented for what might be one value
 */
export function upsertBase(filter: Document, update: unknown): Document {
  const isNeeded = ([path]: Equality) => !isReplacement(update) || splitPath(path)[0] === '_id';
  const found = equalities(filter).filter(isNeeded);
  const base: Document = {};
  const seen: string[][] = [];
  for (const [path, value] of found.sort(([a], [b]) => compareValues(outerName(a), outerName(b)))) {
    const parts = splitPath(path);
    const isTwice = seen.some((other) => other.every((part, i) => part === parts[i]));
    demand(!isTwice, 'NotSingleValueField', `cannot infer query fields to set, '${path}' is matched twice`);
    const isExact = !isReplacement(update) || parts.length === 1;
    demand(isExact, 'NotExactValueField', `'_id' must be exactly specified, not '${path}'`);
    seen.push(parts);
    setPath(base, parts, value);
  }
  return base;
}

function equalities(filter: Document): Equality[] {
  return Object.entries(filter).flatMap(([path, condition]): Equality[] => {
    if (path === '$and') {
      return (condition as Document[]).flatMap(equalities);
    }
    // MongoDB rewrites an $or of one clause, and takes nothing from one of several, equal ones among them.
    const [first = [], ...others] = path === '$or' ? (condition as Document[]).map(equalities) : [];
    refuse(first.length > 0 && others.length === 0, 'an upsert with an $or of one clause');
    if (path.startsWith('$') || condition instanceof BSONRegExp) {
      return [];
    }
    return isOperatorObject(condition) ? operatorEqualities(path, condition) : [[path, condition]];
  });
}

function operatorEqualities(path: string, condition: Document): Equality[] {
  return Object.entries(condition).flatMap(([operator, operand]): Equality[] => {
    const isOneOf = operator === '$in' && operand.every((item: unknown) => equalValues(item, operand[0]));
    const isRefused = operator === '$all' || isOneOf;
    refuse(isRefused, `an upsert with this ${operator}`);
    return operator === '$eq' ? [[path, operand]] : [];
  });
}
