import type { Document } from 'bson';
import { extreme } from '../../expressions/operators/accumulators.ts';
import { mergeObjects } from '../../expressions/operators/objects.ts';
import { isNumeric } from '../../values/numbers.ts';
import { Summation } from '../../values/summation.ts';
import { MISSING } from '../../values/types.ts';
import { ValueSet } from '../../values/value-set.ts';

/** Collects the values of one field of a group. */
export interface Accumulator {
  add(value: unknown): unknown;
  result(): unknown;
}

/** The accumulators of `$group`. Each call of an entry begins a new group. `isFirstStage`: nothing is before that `$group`. */
export const ACCUMULATORS: Record<string, (isFirstStage: boolean) => Accumulator> = {
  $sum: () => summed((sum) => sum.total()),
  $count: () => summed((sum) => sum.total()),
  $avg: () => summed((sum) => sum.average()),
  $min: () => folding<unknown>(null, (best, value) => extreme(best, value, -1, undefined)),
  $max: () => folding<unknown>(null, (best, value) => extreme(best, value, 1, undefined)),
  $first: firstValue,
  $last: () => folding<unknown>(null, (_, value) => value ?? null),
  $push: allValues,
  $addToSet: distinctValues,
  // MongoDB's other engine, which takes a $group at the beginning, has an error of its own.
  $mergeObjects: (isFirstStage) =>
    folding<Document>({}, (merged, value) => mergeObjects(merged, value, isFirstStage ? 5911200 : undefined)),
};

function folding<T>(initial: T, step: (state: T, value: unknown) => T): Accumulator {
  let state = initial;
  return {
    add: (value) => {
      state = step(state, value);
    },
    result: () => state,
  };
}

/** A sum of the numbers among the values. */
function summed(result: (sum: Summation) => unknown): Accumulator {
  const sum = new Summation();
  return { add: (value) => isNumeric(value) && sum.add(value), result: () => result(sum) };
}

function firstValue(): Accumulator {
  let first: { value: unknown } | undefined;
  return {
    add: (value) => {
      first ??= { value };
    },
    result: () => first?.value ?? null,
  };
}

function allValues(): Accumulator {
  const values: unknown[] = [];
  return { add: (value) => value !== MISSING && values.push(value), result: () => values };
}

/** Keeps the first of equal values. */
function distinctValues(): Accumulator {
  const set = new ValueSet();
  return { add: (value) => value !== MISSING && set.add(value), result: () => set.values };
}
