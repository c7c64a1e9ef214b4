import { BSONRegExp, type Document, MaxKey, MinKey } from 'bson';
import type { Collection } from './collection.ts';
import { equalValues } from './compare.ts';
import type { Index } from './index-spec.ts';
import { afterPrefix, boundOf, directed, encodeKey } from './key-encoding.ts';
import { isOperatorObject } from './match-operators.ts';
import type { KeyRange } from './store.ts';
import { isDocument, ORDER, orderOf } from './values.ts';

/** How to find the documents of a filter: always a superset of them, which the filter then tests. */
export interface Plan {
  /** Absent: all documents in natural order. */
  index?: Index;
  ranges: KeyRange[];
  reverse: boolean;
  /** The index gives the order asked for: no sorting needed. */
  sorted: boolean;
}

/** More look-ups than this for one query, and a scan is the better plan. */
const MAX_RANGES = 500;

/** Where a key range begins or ends: before or after all keys with these first bytes. */
interface Cut {
  bytes: Buffer;
  after: boolean;
}

/** The values of one field a condition allows. */
interface Interval {
  from: Cut;
  to: Cut;
  isPoint: boolean;
}

/**
 * Chooses the index that narrows a filter down most, or gives its sort order.
 * @param hint an index to use, come what may; 'natural' for none
 */
export function planQuery(
  collection: Collection,
  filter: Document,
  sort: Document,
  hint?: Index | 'natural',
): Plan {
  const candidates = hint === 'natural' ? [] : hint ? [hint] : collection.indexes.filter(isVisible);
  const conditions = conditionsOf(filter);
  let best: Plan = { ranges: [], reverse: false, sorted: Object.keys(sort).length === 0 };
  let bestScore = best.sorted ? 1 : 0;
  for (const index of candidates) {
    const { plan, score } = planIndex(index, conditions, sort, filter);
    if (plan && (score > bestScore || hint)) [best, bestScore] = [plan, score];
  }
  return best;
}

function isVisible(index: Index): boolean {
  return index.spec.options.hidden !== true;
}

interface Condition {
  operator: string;
  operand: unknown;
}

type Conditions = Map<string, Condition[]>;

/** The conditions that hold for every match, by path: those at the top and in $and. */
function conditionsOf(filter: Document, into: Conditions = new Map()): Conditions {
  for (const [path, value] of Object.entries(filter)) {
    if (path === '$and' && Array.isArray(value)) for (const clause of value) conditionsOf(clause, into);
    if (path.startsWith('$')) continue;
    const list = into.get(path) ?? [];
    if (isOperatorObject(value)) {
      const { $options, ...operators } = value;
      if ($options) delete operators.$regex;
      for (const [operator, operand] of Object.entries(operators)) list.push({ operator, operand });
    } else list.push({ operator: '$eq', operand: value });
    into.set(path, list);
  }
  return into;
}

function planIndex(index: Index, conditions: Conditions, sort: Document, filter: Document) {
  if (!coversFilter(index, conditions, filter)) return { plan: undefined, score: 0 };
  let ranges: { from: Cut; to: Cut }[] = [WHOLE];
  let fields = 0;
  let points = 0;
  let single = true;
  const usable = index.spec.multikey ? index.fields.slice(0, 1) : index.fields;
  for (const [i, field] of usable.entries()) {
    const intervals = intervalsOf(conditions.get(field) ?? [], index.spec.multikey === true);
    if (!intervals || ranges.length * intervals.length > MAX_RANGES) break;
    const direction = index.directions[i] ?? 1;
    ranges = ranges.flatMap((range) => intervals.map((interval) => append(range, interval, direction)));
    fields++;
    if (!intervals.every((interval) => interval.isPoint)) break;
    points++;
    single &&= intervals.length === 1;
  }
  const order = single && !index.spec.shortened ? orderGiven(index, points, sort) : undefined;
  if (fields === 0 && (!order || index.isSparse)) return { plan: undefined, score: 0 };
  const reverse = order === -1;
  const score =
    points * 4 +
    (fields - points) * 2 +
    (order ? 1 : 0) +
    (index.spec.unique && points === index.fields.length ? 100 : 0);
  return {
    plan: { index, ranges: toKeyRanges(ranges, reverse), reverse, sorted: order !== undefined },
    score,
  };
}

/** A sparse index serves only conditions that no missing field fulfils, a partial one only filters within its own. */
function coversFilter(index: Index, conditions: Conditions, filter: Document): boolean {
  if (index.isSparse && !index.fields.some((field) => (conditions.get(field) ?? []).some(excludesMissing)))
    return false;
  const partial = index.spec.options.partialFilterExpression as Document | undefined;
  if (!partial) return true;
  return Object.entries(partial).every(([path, condition]) =>
    implies(filter[path], conditions.get(path), condition),
  );
}

function implies(own: unknown, conditions: readonly Condition[] | undefined, wanted: unknown): boolean {
  if (own !== undefined && equalValues(own, wanted)) return true;
  if (!isDocument(wanted) || !conditions) return false;
  const known = conditions.find(({ operator }) => operator === '$eq')?.operand;
  if (equalValues(wanted, { $exists: true })) return conditions.some(excludesMissing);
  return equalValues(wanted, { $type: 'string' }) && typeof known === 'string';
}

function excludesMissing({ operator, operand }: Condition): boolean {
  if (operator === '$exists') return Boolean(operand);
  if (operator === '$in')
    return Array.isArray(operand) && !operand.some((item) => item === null || item === undefined);
  return (
    ['$eq', '$gt', '$gte', '$lt', '$lte', '$regex'].includes(operator) && orderOf(operand) !== ORDER.null
  );
}

/** 1 or -1 when the index, behind its first fields of one value each, is in the order asked for, or its reverse. */
function orderGiven(index: Index, points: number, sort: Document): 1 | -1 | undefined {
  if (index.spec.multikey || index.spec.options.partialFilterExpression) return undefined;
  const fixed = new Set(index.fields.slice(0, points));
  const wanted = Object.entries(sort).filter(([field]) => !fixed.has(field));
  const rest = index.fields.slice(points).map((field) => [field, index.spec.key[field]] as const);
  if (Object.keys(sort).length === 0 || wanted.length > rest.length) return undefined;
  for (const direction of [1, -1] as const) {
    if (
      wanted.every(([field, way], i) => rest[i]?.[0] === field && rest[i]?.[1] === Number(way) * direction)
    ) {
      return direction;
    }
  }
  return undefined;
}

/** The intervals a field's conditions allow; undefined when they tell nothing an index could use. */
function intervalsOf(conditions: readonly Condition[], multikey: boolean): Interval[] | undefined {
  for (const { operator, operand } of conditions) {
    if (operator === '$eq' && isPointValue(operand)) return points(operand);
    if (operator === '$in' && Array.isArray(operand) && operand.every(isPointValue))
      return distinctPoints(operand);
  }
  const bounds = conditions.flatMap(({ operator, operand }) => boundsOf(operator, operand) ?? []);
  if (bounds.length === 0) return undefined;
  // Different elements of an array can satisfy different conditions: only one of them limits the scan.
  const pattern = conditions.find(({ operand }) => operand instanceof BSONRegExp)?.operand;
  if (bounds.length === 1 && pattern) return [...bounds, ...points(pattern)];
  const used = multikey ? bounds.slice(0, 1) : bounds;
  return [used.reduce((a, b) => ({ from: later(a.from, b.from), to: earlier(a.to, b.to), isPoint: false }))];
}

function isPointValue(value: unknown): boolean {
  return !Array.isArray(value) && !(value instanceof BSONRegExp);
}

function points(value: unknown): Interval[] {
  const bytes = encodeKey(value);
  return [{ from: { bytes, after: false }, to: { bytes, after: true }, isPoint: true }];
}

function distinctPoints(values: readonly unknown[]): Interval[] {
  const byKey = new Map(values.map((value) => [encodeKey(value).toString('latin1'), value]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).flatMap(([, value]) => points(value));
}

function boundsOf(operator: string, operand: unknown): Interval | undefined {
  if (operator === '$regex' || (operator === '$eq' && operand instanceof BSONRegExp))
    return prefixBounds(operand);
  if (isDocument(operand) || Array.isArray(operand) || orderOf(operand) === ORDER.null) return undefined;
  if (operand instanceof MinKey || operand instanceof MaxKey || operand instanceof BSONRegExp)
    return undefined;
  const type = Buffer.of(orderOf(operand));
  const [first, last] = [
    { bytes: type, after: false },
    { bytes: type, after: true },
  ];
  const bytes = encodeKey(operand);
  if (operator === '$gt') return { from: { bytes, after: true }, to: last, isPoint: false };
  if (operator === '$gte') return { from: { bytes, after: false }, to: last, isPoint: false };
  if (operator === '$lt') return { from: first, to: { bytes, after: false }, isPoint: false };
  if (operator === '$lte') return { from: first, to: { bytes, after: true }, isPoint: false };
  return undefined;
}

/** `^abc` limits strings to those that begin so. */
function prefixBounds(operand: unknown): Interval | undefined {
  const pattern = operand instanceof BSONRegExp ? operand.pattern : String(operand);
  if (operand instanceof BSONRegExp && operand.options !== '') return undefined;
  const literal = /^\^([\w @:/-]+)(?![*?{+])/.exec(pattern)?.[1];
  if (!literal || pattern.includes('|')) return undefined;
  const bytes = encodeKey(literal).subarray(0, -2);
  return { from: { bytes, after: false }, to: { bytes, after: true }, isPoint: false };
}

const WHOLE = { from: { bytes: Buffer.alloc(0), after: false }, to: { bytes: Buffer.alloc(0), after: true } };

/** Adds a field's interval behind the fields before, all of which have one value. */
function append(
  range: { from: Cut; to: Cut },
  interval: Interval,
  direction: number,
): { from: Cut; to: Cut } {
  const before = range.from.bytes;
  const add = (cut: Cut): Cut => ({
    bytes: Buffer.concat([before, directed(cut.bytes, direction)]),
    after: cut.after !== direction < 0,
  });
  return direction < 0
    ? { from: add(interval.to), to: add(interval.from) }
    : { from: add(interval.from), to: add(interval.to) };
}

function toKeyRanges(ranges: readonly { from: Cut; to: Cut }[], reverse: boolean): KeyRange[] {
  const keys = ranges.flatMap(({ from, to }) => {
    const start = position(from, false);
    return start ? [{ start, end: position(to, true) }] : [];
  });
  return reverse ? keys.reverse() : keys;
}

/** A cut as a key; shortened keys are kept in by widening the range to their stored beginning. */
function position({ bytes, after }: Cut, isEnd: boolean): Buffer | undefined {
  const stored = boundOf(bytes);
  const isAfter = stored === bytes ? after : isEnd;
  if (!isAfter) return stored;
  return stored.length === 0 ? undefined : afterPrefix(stored);
}

function later(a: Cut, b: Cut): Cut {
  return compareCuts(a, b) >= 0 ? a : b;
}

function earlier(a: Cut, b: Cut): Cut {
  return compareCuts(a, b) <= 0 ? a : b;
}

function compareCuts(a: Cut, b: Cut): number {
  return Buffer.compare(a.bytes, b.bytes) || Number(a.after) - Number(b.after);
}
