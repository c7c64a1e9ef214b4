import { Binary } from 'bson';
import { mongoError, notImplemented } from '../base/errors.ts';
import { MAX_LEVELS } from '../base/limits.ts';
import { isDocument } from '../values/types.ts';

/** For one document. Nested loops reach it within seconds. */
const MAX_STEPS = 10_000_000;

let steps = 0;

/** Begins the count of steps, for each document and each compilation. Both are synchronous, so one count serves all. */
export function beginEvaluation(): void {
  steps = 0;
}

/** Counts steps, such as one of $map. Loops in loops could otherwise run for days. */
export function countSteps(count = 1): void {
  steps += count;
  if (steps > MAX_STEPS) {
    throw notImplemented(`an expression of more than ${MAX_STEPS} steps and values`);
  }
}

/**
 * A function that takes the parts of a new value one after the other, and refuses those that are too large together. Values
 * share their parts, so a short expression can build one that is too large to be written, or even to be visited.
 */
export function partsOfValue(): <T>(part: T) => T {
  let size = 0;
  const visit = (value: unknown, depth: number): void => {
    const length = typeof value === 'string' ? value.length : value instanceof Binary ? value.length() : 0;
    const units = 1 + Math.trunc(length / 16);
    size += units;
    countSteps(size > MAX_STEPS ? size : units);
    const parts = Array.isArray(value) ? value : isDocument(value) ? Object.values(value) : [];
    if (depth >= MAX_LEVELS && parts.length > 0) {
      throw mongoError('Overflow', `An expression built a value of more than ${MAX_LEVELS} levels`);
    }
    for (const part of parts) {
      visit(part, depth + 1);
    }
  };
  return (part) => {
    visit(part, 1);
    return part;
  };
}
