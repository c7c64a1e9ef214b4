import { Binary } from 'bson';
import { mongoError } from '../base/errors.ts';
import { isDocument } from '../values/types.ts';

/** MongoDB's limit on what one expression may hold (internalQueryMaxRangeBytes and its siblings). */
export const MAX_EXPRESSION_BYTES = 100 * 1024 * 1024;

/** What MongoDB counts for a value without the bytes of its text. */
export const VALUE_BYTES = 16;

/** MongoDB's limit on nesting (BSONDepth). */
const MAX_DEPTH = 200;

/** More than the longest $range has. Nested loops reach it within seconds. */
const MAX_STEPS = 10_000_000;

/** A step can copy an array or a text that grows with each of them. No other command goes on meanwhile. */
const MAX_MILLIS = 5000;

/** Smaller values are cheaper to measure again than to remember. */
const REMEMBERED_BYTES = 1024;

interface Extent {
  bytes: number;
  depth: number;
}

const extents = new WeakMap<object, Extent>();
let steps = 0;
let since = 0;

/**
 * A function that takes the parts of a new value one after the other. Values share their parts, so a short expression can
 * build one that is too large to be written, or even to be visited.
 * @throws CommandError when the parts have more than 100 MiB together (146), or one is nested too deeply (15)
 */
export function partsOfValue(): <T>(part: T) => T {
  let total = 0;
  return (part) => {
    const { bytes, depth } = extentOf(part);
    total += bytes;
    if (total > MAX_EXPRESSION_BYTES) {
      throw tooLarge('An expression');
    }
    if (depth >= MAX_DEPTH) {
      throw mongoError('Overflow', `An expression built a value of more than ${MAX_DEPTH} levels`);
    }
    return part;
  };
}

/** The error of MongoDB for an expression that holds too much (146). */
export function tooLarge(what: string) {
  return mongoError('ExceededMemoryLimit', `${what} would use too much memory and cannot spill to disk`);
}

/** Begins the count of steps, for each document and each compilation. Both are synchronous, so one count serves all. */
export function beginEvaluation(): void {
  steps = 0;
}

/** Counts a step of $map, $filter or $reduce. Loops in loops could otherwise run for days. */
export function countStep(): void {
  if (++steps === 1) {
    since = performance.now();
  }
  if (steps > MAX_STEPS || (steps % 16 === 0 && performance.now() - since > MAX_MILLIS)) {
    throw mongoError(
      'NotImplemented',
      `more than ${MAX_STEPS} steps or ${MAX_MILLIS} ms of $map, $filter and $reduce for one document are not implemented by the embedded engine`,
    );
  }
}

function extentOf(value: unknown): Extent {
  if (typeof value === 'string') {
    return { bytes: VALUE_BYTES + value.length, depth: 0 };
  }
  if (value instanceof Binary) {
    return { bytes: VALUE_BYTES + value.length(), depth: 0 };
  }
  if (!Array.isArray(value) && !isDocument(value)) {
    return { bytes: VALUE_BYTES, depth: 0 };
  }
  const known = extents.get(value);
  if (known) {
    return known;
  }
  const extent = { bytes: VALUE_BYTES, depth: 1 };
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    if (typeof part === 'number') {
      extent.bytes += VALUE_BYTES;
    } else {
      const { bytes, depth } = extentOf(part);
      extent.bytes += bytes;
      extent.depth = Math.max(extent.depth, depth + 1);
    }
  }
  if (extent.bytes > REMEMBERED_BYTES) {
    extents.set(value, extent);
  }
  return extent;
}
