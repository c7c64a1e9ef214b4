import { BSONRegExp, type Document } from 'bson';
import { isOperatorObject } from '../matching/leaf-operator.ts';
import { Collection } from '../storage/collection.ts';
import { Index } from '../storage/index-spec.ts';
import type { KeyRange } from '../storage/scan.ts';
import { equalValues } from '../values/compare.ts';
import { positionOf, splitPath } from '../values/names.ts';
import { isTrue } from '../values/truth.ts';
import { isDocument, ORDER, orderOf } from '../values/types.ts';
import {
  append,
  type Condition,
  implies,
  intervalsOf,
  type Range,
  toKeyRanges,
  valuesOf,
  WHOLE_RANGE,
} from './key-ranges.ts';
import { LongList } from './long-list.ts';

/** The parts of an index to read, and what the index was like when they were chosen. */
export interface IndexScan {
  index: Index;
  /** An array, or ranges that are made while they are read. `undefined` is a pause. */
  ranges: Iterable<KeyRange | undefined>;
  multikey: boolean | undefined;
  shortened: boolean | undefined;
}

/** The documents to read for a filter. They contain all matches; the filter tests them. */
export interface Plan {
  /** None: all documents in natural order. Several: the branches of an `$or`. */
  scans: readonly IndexScan[];
  reverse: boolean;
  /** The index has the order of the sort, so the documents need no sorting. */
  sorted: boolean;
  /** The keys say all that the filter asks: what they find needs no test. */
  exact?: boolean;
}

/** The product of the values of several fields, and the branches of an `$or`, are not looked up if there are more. */
const MAX_RANGES = 500;

/** To plan a `$in` of so many values takes a few milliseconds. Of a longer one, the run makes the ranges. It is above MAX_RANGES. */
const MAX_PLANNED_VALUES = 1000;

/** True if a plan of this collection still finds all that it found when it was made. */
export function isCurrent({ scans }: Plan): boolean {
  return scans.every(
    ({ index: { isDropped, spec }, multikey, shortened }) =>
      !isDropped && spec.multikey === multikey && spec.shortened === shortened,
  );
}

/** The documents that a search inside of a transaction may read. */
const MAX_LOOK_UPS = 100;

/** True if the plan reads only a few documents, by whole keys of unique indexes. */
export const isLookUp = (plan: Plan): boolean => keysOf(plan) <= MAX_LOOK_UPS;

/** The number of whole keys of unique indexes that the plan reads; infinite if it reads anything else. */
function keysOf({ scans }: Plan): number {
  const counts = scans.map(({ ranges }) => (isKeys(ranges) ? ranges.length : Infinity));
  return counts.length > 0 ? counts.reduce((sum, count) => sum + count) : Infinity;
}

/**
 * Chooses the index that leaves the fewest documents, or that has the order of the sort.
 * @param hint the index to use: as in MongoDB, all of it if it does not fit, so what a sparse or partial one leaves out is not found
 */
export function planQuery(collection: Collection, filter: Document, sort: Document, hint?: Index): Plan {
  const conditions = conditionsOf(filter);
  if (hint) {
    return planIndex(hint, conditions, sort, filter).plan ?? wholeIndex(hint, sort);
  }
  let best: Plan = { scans: [], reverse: false, sorted: Object.keys(sort).length === 0 };
  let bestScore = best.sorted ? 1 : 0;
  for (const index of collection.indexes) {
    const { plan, score } = planIndex(index, conditions, sort, filter);
    if (plan && score > bestScore) {
      [best, bestScore] = [plan, score];
    }
    // No other index can leave less than one document.
    if (plan?.exact && keysOf(plan) === 1) {
      return plan;
    }
  }
  const branches = best.scans.length === 0 ? planOr(collection, filter) : undefined;
  return branches ? { ...best, scans: branches } : best;
}

/** The scans for all branches of an `$or`, if an index serves each of them. */
function planOr(collection: Collection, filter: Document): IndexScan[] | undefined {
  for (const clauses of orsOf(filter)) {
    if (clauses.length > MAX_RANGES) {
      continue;
    }
    const scans = clauses.map((clause) =>
      isDocument(clause) ? planQuery(collection, clause, {}).scans : [],
    );
    if (scans.length > 0 && scans.every((each) => each.length > 0)) {
      return scans.flat();
    }
  }
  return undefined;
}

/** The `$or` lists that every match passes: those at the top of the filter and in $and. */
function* orsOf({ $or, $and }: Document): Generator<unknown[]> {
  if (Array.isArray($or)) {
    yield $or;
  }
  for (const clause of Array.isArray($and) ? $and.filter(isDocument) : []) {
    yield* orsOf(clause);
  }
}

function wholeIndex(index: Index, sort: Document): Plan {
  const order = orderGiven(index, 0, sort);
  const reverse = order === -1;
  const sorted = order !== undefined || Object.keys(sort).length === 0;
  return { scans: [scanOf(index, toKeyRanges([WHOLE_RANGE], reverse))], reverse, sorted };
}

function scanOf(index: Index, ranges: IndexScan['ranges']): IndexScan {
  return { index, ranges, multikey: index.spec.multikey, shortened: index.spec.shortened };
}

type Conditions = Map<string, Condition[]>;

/** The conditions of every match, by path: those at the top of the filter and in $and. */
function conditionsOf(filter: Document, into: Conditions = new Map()): Conditions {
  for (const [path, value] of Object.entries(filter)) {
    if (path === '$and' && Array.isArray(value)) {
      for (const clause of value) {
        conditionsOf(clause, into);
      }
    }
    if (path.startsWith('$')) {
      continue;
    }
    const operators: Document =
      value instanceof BSONRegExp ? { $regex: value } : isOperatorObject(value) ? value : { $eq: value };
    const list = Object.entries(operators).map(([operator, operand]) => ({ operator, operand }));
    // The prefix of a pattern with options is not looked up.
    const usable = operators.$options ? list.filter(({ operator }) => operator !== '$regex') : list;
    const before = into.get(path);
    into.set(path, before ?? usable);
    before?.push(...usable);
  }
  return into;
}

function planIndex(index: Index, conditions: Conditions, sort: Document, filter: Document) {
  const isUnsorted = Object.keys(sort).length === 0;
  if ((isUnsorted && !conditions.has(index.fields[0] ?? '')) || !coversFilter(index, conditions, filter)) {
    return { plan: undefined, score: 0 };
  }
  const [first = ''] = index.fields;
  const values = valuesOf(conditions.get(first) ?? []) ?? [];
  if (values.length > MAX_PLANNED_VALUES && !hasPosition(first)) {
    return planLongList(index, values, isUnsorted);
  }
  let ranges: Range[] = [WHOLE_RANGE];
  let fields = 0;
  let points = 0;
  let nulls = 0;
  let single = true;
  const usable = index.spec.multikey ? index.fields.slice(0, 1) : index.fields;
  for (const [i, field] of usable.entries()) {
    const intervals = intervalsOf(conditions.get(field) ?? [], index.spec.multikey === true);
    if (!intervals || hasPosition(field) || (i > 0 && ranges.length * intervals.length > MAX_RANGES)) {
      break;
    }
    const direction = index.directions[i] ?? 1;
    ranges = ranges.flatMap((range) => intervals.map((interval) => append(range, interval, direction)));
    fields++;
    if (!intervals.every((interval) => interval.isPoint)) {
      break;
    }
    points++;
    nulls += intervals[0]?.isNull ? 1 : 0;
    single &&= intervals.length === 1;
  }
  const order = single && !isUnsorted ? orderGiven(index, points, sort) : undefined;
  if (fields === 0 && (!order || index.isSparse)) {
    return { plan: undefined, score: 0 };
  }
  const reverse = order === -1;
  const areKeys = index.spec.unique && points === index.fields.length;
  // Most documents may lack a field, so another field leaves fewer.
  const score = points * 4 - nulls / 2 + (fields - points) * 2 + (order ? 1 : 0) + (areKeys ? 100 : 0);
  const keyRanges = toKeyRanges(ranges, reverse, areKeys);
  const exact = !index.spec.multikey && asksOnly(index, filter, conditions) && isKeys(keyRanges);
  const scans = [scanOf(index, keyRanges)];
  return { plan: { scans, reverse, sorted: isUnsorted || order !== undefined, exact }, score };
}

/** A long list is never multiplied by the values of a second field, and never gives an order. */
function planLongList(index: Index, values: readonly unknown[], isUnsorted: boolean) {
  const areKeys = index.spec.unique && index.fields.length === 1;
  const ranges = new LongList(values, index.directions[0] ?? 1, areKeys);
  const plan: Plan = { scans: [scanOf(index, ranges)], reverse: false, sorted: isUnsorted };
  return { plan, score: areKeys ? 104 : 4 };
}

const isKeys = (ranges: IndexScan['ranges']): ranges is KeyRange[] =>
  Array.isArray(ranges) && ranges.every(({ isKey }) => isKey === true);

/** True if the filter has one condition on each field of the index, and no other. An `$and` may have others in it. */
function asksOnly(index: Index, filter: Document, conditions: Conditions): boolean {
  const paths = Object.keys(filter);
  return (
    paths.length === index.fields.length &&
    index.fields.every((field) => Object.hasOwn(filter, field) && conditions.get(field)?.length === 1)
  );
}

/** A filter takes a number in a path for a name, too; the keys of an index have only one of the two. */
function hasPosition(path: string): boolean {
  return splitPath(path).some((part) => positionOf(part) !== undefined);
}

/** A sparse index serves only conditions that no missing field meets; a partial one only filters within its own. */
function coversFilter(index: Index, conditions: Conditions, filter: Document): boolean {
  if (index.isSparse) {
    // Of a document with arrays, only some keys may be there: those that the first field's condition finds must be among them.
    const fields = index.spec.multikey ? index.fields.slice(0, 1) : index.fields;
    if (fields.some(hasPosition) || !fields.some((field) => conditions.get(field)?.some(excludesMissing))) {
      return false;
    }
  }
  const partial = index.spec.options.partialFilterExpression as Document | undefined;
  return !partial || impliesPartial(partial, conditions, filter);
}

/** True if every match of the filter is within a partial index (https://www.mongodb.com/docs/manual/core/index-partial/). */
function impliesPartial(partial: Document, conditions: Conditions, filter: Document): boolean {
  return Object.entries(partial).every(([path, expression]) => {
    if (filter[path] !== undefined && equalValues(filter[path], expression)) {
      return true;
    }
    if (path.startsWith('$')) {
      return (
        path === '$and' && expression.every((part: Document) => impliesPartial(part, conditions, filter))
      );
    }
    const given = conditions.get(path) ?? [];
    const wanted = conditionsOf({ [path]: expression }).get(path) ?? [];
    return wanted.every((each) =>
      each.operator === '$exists' && isTrue(each.operand)
        ? given.some(excludesMissing)
        : given.some((condition) => implies(condition, each)),
    );
  });
}

/** True if no missing field meets the condition. */
function excludesMissing({ operator, operand }: Condition): boolean {
  switch (operator) {
    case '$exists':
      return isTrue(operand);
    case '$in':
      return Array.isArray(operand) && !operand.includes(null);
    case '$regex':
      return true;
    case '$eq':
      return operand !== null;
    default:
      // Missing is above MinKey and below MaxKey.
      return (
        ['$gt', '$gte', '$lt', '$lte'].includes(operator) &&
        ![ORDER.null, ORDER.minKey, ORDER.maxKey].some((order) => order === orderOf(operand))
      );
  }
}

/** 1 or -1 if the index has the order of the sort, or its reverse, after the first fields, which have one value each. */
function orderGiven(index: Index, points: number, sort: Document): 1 | -1 | undefined {
  if (index.spec.multikey || index.spec.shortened) {
    return undefined;
  }
  const fixed = new Set(index.fields.slice(0, points));
  const wanted = Object.entries(sort).filter(([field]) => !fixed.has(field));
  const rest = index.fields.slice(points).map((field) => [field, index.spec.key[field]] as const);
  if (Object.keys(sort).length === 0 || wanted.length > rest.length) {
    return undefined;
  }
  return ([1, -1] as const).find((direction) =>
    wanted.every(([field, way], i) => rest[i]?.[0] === field && rest[i]?.[1] === Number(way) * direction),
  );
}
