import { BSONRegExp, MaxKey, MinKey } from 'bson';
import type { KeyRange } from '../storage/scan.ts';
import { afterPrefix, boundOf, directed, encodeKey } from '../values/key-encoding.ts';
import { isDocument, ORDER, orderOf } from '../values/types.ts';

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
}

/** The intervals that a field's conditions allow; undefined if an index cannot use them. */
export function intervalsOf(conditions: readonly Condition[], multikey: boolean): Interval[] | undefined {
  for (const { operator, operand } of conditions) {
    if (operator === '$eq' && isPointValue(operand)) {
      return points(operand);
    }
    if (operator === '$in' && Array.isArray(operand) && operand.every(isPointValue)) {
      return distinctPoints(operand);
    }
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
  return [used.reduce((a, b) => ({ from: later(a.from, b.from), to: earlier(a.to, b.to), isPoint: false }))];
}

/** An array also equals the array that it is compared with, not only its elements. */
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
  if (isDocument(operand) || Array.isArray(operand) || orderOf(operand) === ORDER.null) {
    return undefined;
  }
  if (operand instanceof MinKey || operand instanceof MaxKey || operand instanceof BSONRegExp) {
    return undefined;
  }
  const type = Buffer.of(orderOf(operand));
  const [first, last] = [
    { bytes: type, after: false },
    { bytes: type, after: true },
  ];
  const bytes = encodeKey(operand);
  if (operator === '$gt') {
    return { from: { bytes, after: true }, to: last, isPoint: false };
  }
  if (operator === '$gte') {
    return { from: { bytes, after: false }, to: last, isPoint: false };
  }
  if (operator === '$lt') {
    return { from: first, to: { bytes, after: false }, isPoint: false };
  }
  if (operator === '$lte') {
    return { from: first, to: { bytes, after: true }, isPoint: false };
  }
  return undefined;
}

/** `^abc` limits strings to those that begin with abc. */
function prefixBounds(operand: unknown): { prefix: Interval; pattern: BSONRegExp } | undefined {
  const pattern = operand instanceof BSONRegExp ? operand : new BSONRegExp(String(operand));
  const literal = /^\^([\w @:/-]+)(?![*?{+])/.exec(pattern.pattern)?.[1];
  if (!literal || pattern.options !== '' || pattern.pattern.includes('|')) {
    return undefined;
  }
  const bytes = encodeKey(literal).subarray(0, -2);
  const prefix = { from: { bytes, after: false }, to: { bytes, after: true }, isPoint: false };
  return { prefix, pattern };
}

/** All keys of an index. */
export const WHOLE_RANGE: Range = {
  from: { bytes: Buffer.alloc(0), after: false },
  to: { bytes: Buffer.alloc(0), after: true },
};

/** Appends the interval of the next field. All fields before it have one value. */
export function append(range: Range, interval: Interval, direction: number): Range {
  const before = range.from.bytes;
  const add = (cut: Cut): Cut => ({
    bytes: Buffer.concat([before, directed(cut.bytes, direction)]),
    after: cut.after !== direction < 0,
  });
  return direction < 0
    ? { from: add(interval.to), to: add(interval.from) }
    : { from: add(interval.from), to: add(interval.to) };
}

/** The ranges as pairs of keys, in the order of the scan. */
export function toKeyRanges(ranges: readonly Range[], reverse: boolean): KeyRange[] {
  const keys = ranges.flatMap(({ from, to }) => {
    const start = position(from, false);
    return start ? [{ start, end: position(to, true) }] : [];
  });
  return reverse ? keys.reverse() : keys;
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

function later(a: Cut, b: Cut): Cut {
  return compareCuts(a, b) >= 0 ? a : b;
}

function earlier(a: Cut, b: Cut): Cut {
  return compareCuts(a, b) <= 0 ? a : b;
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
