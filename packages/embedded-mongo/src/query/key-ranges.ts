import { BSONRegExp } from 'bson';
import { lookUp } from '../base/look-up.ts';
import type { KeyRange } from '../storage/scan.ts';
import { equalValues } from '../values/compare.ts';
import { afterPrefix, boundOf, directed, encodeKey } from '../values/key-encoding.ts';
import { isNumeric } from '../values/numbers.ts';
import { ORDER, orderOf } from '../values/types.ts';

/** One operator that a filter applies to a path. */
export interface Condition {
  operator: string;
  operand: unknown;
}

/** The begin or end of a key range: before or after all keys that begin with these bytes. */
interface Cut {
  bytes: Buffer;
  after: boolean;
}

/** The keys between two cuts. */
export interface Range {
  from: Cut;
  to: Cut;
}

/** The values of one field that a condition allows. */
interface Interval extends Range {
  isPoint: boolean;
  /** The point is null, which a document without the field has, too. */
  isNull?: boolean;
}

/** A longer `$in` is a scan, because its keys would take more memory than the documents. */
const MAX_VALUES = 100_000;

/** The values that a field's conditions allow, if they are a list; undefined if an index cannot use it. */
export function valuesOf(conditions: readonly Condition[]): readonly unknown[] | undefined {
  for (const { operator, operand } of conditions) {
    if (operator === '$eq' && isPointValue(operand)) {
      return [operand];
    }
    const isList = operator === '$in' && Array.isArray(operand) && operand.length <= MAX_VALUES;
    if (isList && operand.every(isPointValue)) {
      return operand;
    }
  }
  return undefined;
}

/** The intervals that a field's conditions allow; undefined if an index cannot use them. */
export function intervalsOf(conditions: readonly Condition[], multikey: boolean): Interval[] | undefined {
  const values = valuesOf(conditions);
  if (values) {
    return values.length === 1
      ? points(values[0]).map((point) => ({ ...point, isNull: values[0] === null }))
      : distinctPoints(values);
  }
  const bounds = conditions.flatMap(({ operator, operand }) => boundsOf(operator, operand) ?? []);
  const patterns = conditions.flatMap(({ operator, operand }) =>
    operator === '$regex' ? (prefixBounds(operand) ?? []) : [],
  );
  if (bounds.length === 0) {
    // A pattern matches an equal pattern, too.
    return patterns[0] && [patterns[0].prefix, ...points(patterns[0].pattern)];
  }
  // Different elements of an array can satisfy different conditions, so only one condition limits the scan.
  const used = multikey ? bounds.slice(0, 1) : [...bounds, ...patterns.map(({ prefix }) => prefix)];
  return [used.reduce(both)];
}

function both(a: Range, b: Range): Interval {
  return {
    from: compareCuts(a.from, b.from) >= 0 ? a.from : b.from,
    to: compareCuts(a.to, b.to) <= 0 ? a.to : b.to,
    isPoint: false,
  };
}

/** An array also equals the array that it is compared with, not only its elements. */
function isPointValue(value: unknown): boolean {
  return !Array.isArray(value) && !(value instanceof BSONRegExp);
}

function points(value: unknown): Interval[] {
  return [pointAt(encodeKey(value))];
}

/** The values with one key. */
export function pointAt(key: Buffer): Interval {
  return { ...keysWith(key), isPoint: true };
}

/** All keys that begin with these bytes. */
function keysWith(bytes: Buffer): Range {
  return { from: { bytes, after: false }, to: { bytes, after: true } };
}

function distinctPoints(values: readonly unknown[]): Interval[] {
  const keys = values.map(encodeKey).sort(Buffer.compare);
  return keys.filter((key, i) => !keys[i - 1]?.equals(key)).map(pointAt);
}

/** Other values are compared with more than the keys of their type, or element by element. */
const WITHOUT_BOUNDS: readonly number[] = [
  ...[ORDER.null, ORDER.minKey, ORDER.maxKey],
  ...[ORDER.regex, ORDER.object, ORDER.array],
];

function boundsOf(operator: string, operand: unknown): Interval | undefined {
  const order = orderOf(operand);
  if (WITHOUT_BOUNDS.includes(order)) {
    return undefined;
  }
  const type = keysWith(Buffer.of(order));
  const value = keysWith(encodeKey(operand));
  const bounds: Record<string, Range> = {
    $gt: { from: value.to, to: type.to },
    $gte: { from: value.from, to: type.to },
    $lt: { from: type.from, to: value.from },
    $lte: { from: type.from, to: value.to },
  };
  const range = lookUp(bounds, operator);
  return range && { ...range, isPoint: false };
}

/**
 * True if every value that meets the given condition also meets the wanted one. Of an array, each element may be that value, so
 * one condition must do it alone.
 */
export function implies(given: Condition, wanted: Condition): boolean {
  if (given.operator === wanted.operator && equalValues(given.operand, wanted.operand)) {
    return given.operator !== '$options';
  }
  const operands = Array.isArray(given.operand) ? given.operand : [given.operand];
  // NaN has a place among the numbers of an index, but is in no range of them.
  if (operands.some((operand) => isNumeric(operand) && Number.isNaN(Number(operand)))) {
    return false;
  }
  const allowed = intervalsOf([wanted], true);
  const asked = intervalsOf([given], true);
  return asked?.every((part) => allowed?.some((range) => isWithin(part, range))) === true;
}

const isWithin = (a: Range, b: Range): boolean =>
  compareCuts(a.from, b.from) >= 0 && compareCuts(a.to, b.to) <= 0;

/** `^abc` limits strings to those that begin with abc. */
function prefixBounds(operand: unknown): { prefix: Interval; pattern: BSONRegExp } | undefined {
  const pattern = operand instanceof BSONRegExp ? operand : new BSONRegExp(String(operand));
  const literal = /^\^([\w @:/-]+)(?![*?{+])/.exec(pattern.pattern)?.[1];
  if (!literal || pattern.options !== '' || pattern.pattern.includes('|')) {
    return undefined;
  }
  const bytes = encodeKey(literal).subarray(0, -2);
  return { prefix: { ...keysWith(bytes), isPoint: false }, pattern };
}

/** All keys of an index. */
export const WHOLE_RANGE = keysWith(Buffer.alloc(0));

/** Appends the interval of the next field. All fields before it have one value. */
export function append(range: Range, interval: Interval, direction: number): Range {
  const before = range.from.bytes;
  if (before.length === 0 && direction > 0) {
    return interval;
  }
  const add = (cut: Cut): Cut => ({
    bytes: Buffer.concat([before, directed(cut.bytes, direction)]),
    after: cut.after !== direction < 0,
  });
  return direction < 0
    ? { from: add(interval.to), to: add(interval.from) }
    : { from: add(interval.from), to: add(interval.to) };
}

/**
 * The ranges as pairs of keys, in the order of the scan.
 * @param areKeys true if each range is one whole key of a unique index
 */
export function toKeyRanges(ranges: readonly Range[], reverse: boolean, areKeys = false): KeyRange[] {
  const keys = ranges.flatMap(({ from, to }): KeyRange[] => {
    const start = position(from, false);
    if (areKeys && start === from.bytes) {
      return [{ start, isKey: true }];
    }
    return start ? [{ start, end: position(to, true) }] : [];
  });
  // Long values that differ only behind the stored part of a key have one range.
  const distinct = keys.filter(({ start }, i) => !keys[i - 1]?.start.equals(start));
  return reverse ? distinct.reverse() : distinct;
}

/** A cut as a key. Shortened keys widen the range to the part of them that is stored. */
function position({ bytes, after }: Cut, isEnd: boolean): Buffer | undefined {
  const stored = boundOf(bytes);
  const isAfter = stored === bytes ? after : isEnd;
  if (!isAfter) {
    return stored;
  }
  return stored.length === 0 ? undefined : afterPrefix(stored);
}

/** A cut after a prefix is after every cut in the keys that begin with it. */
function compareCuts(a: Cut, b: Cut): number {
  const shared = Math.min(a.bytes.length, b.bytes.length);
  const order = Buffer.compare(a.bytes.subarray(0, shared), b.bytes.subarray(0, shared));
  if (order !== 0) {
    return order;
  }
  if (a.bytes.length === b.bytes.length) {
    return Number(a.after) - Number(b.after);
  }
  return a.bytes.length === shared ? sideOf(a) : -sideOf(b);
}

const sideOf = ({ after }: Cut): number => (after ? 1 : -1);
