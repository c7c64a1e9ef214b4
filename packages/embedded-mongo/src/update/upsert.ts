import { BSONRegExp, type Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { isOperatorObject } from '../matching/leaf-operator.ts';
import { splitPath } from '../values/names.ts';
import { setPath } from '../values/set-path.ts';

/** The document that an upsert starts from: the fields that the filter compares with one value. */
export function upsertBase(filter: Document): Document {
  const base: Document = {};
  const seen = new Set<string>();
  for (const [path, value] of equalities(filter)) {
    if (seen.has(path)) {
      throw mongoError(
        'NotSingleValueField',
        `cannot infer query fields to set, path '${path}' is matched twice`,
      );
    }
    seen.add(path);
    setPath(base, splitPath(path), value);
  }
  return base;
}

function* equalities(filter: Document): Generator<[path: string, value: unknown]> {
  for (const [path, condition] of Object.entries(filter)) {
    const only = Array.isArray(condition) && (path === '$and' || (path === '$or' && condition.length === 1));
    if (only) {
      for (const clause of condition) {
        yield* equalities(clause);
      }
    }
    if (path.startsWith('$')) {
      continue;
    }
    if (!isOperatorObject(condition)) {
      if (!(condition instanceof BSONRegExp)) {
        yield [path, condition];
      }
      continue;
    }
    const { $eq, $in, $all } = condition;
    if ('$eq' in condition) {
      yield [path, $eq];
    } else if (Array.isArray($in) && $in.length === 1) {
      yield [path, $in[0]];
    } else if (Array.isArray($all) && $all.length === 1) {
      yield [path, $all[0]];
    }
  }
}
