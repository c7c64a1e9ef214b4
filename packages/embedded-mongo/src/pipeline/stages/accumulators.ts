import type { Document } from 'bson';
import { extreme } from '../../expressions/operators/accumulators.ts';
import { mergeObjects } from '../../expressions/operators/objects.ts';
import { asDouble, kindOf } from '../../values/arithmetic.ts';
import { equalValues } from '../../values/compare.ts';
import { encodeKey } from '../../values/key-encoding.ts';
import { isNumeric } from '../../values/numbers.ts';
import { Summation } from '../../values/summation.ts';
import { MISSING } from '../../values/types.ts';

/** Collects the values of one field of a group. */
export interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

/** What an accumulator may use besides the values. */
export interface AccumulatorOptions {
  /** How strings compare; by default, by their UTF-8 bytes. */
  collator?: Intl.Collator | undefined;
  /** True if all its values are the same constant. */
  isConstant?: boolean | undefined;
}

/** The accumulators of `$group`. Each call of an entry begins a new group. */
export const ACCUMULATORS: Record<string, (options: AccumulatorOptions) => Accumulator> = {
  $sum: ({ isConstant }) => summed((sum) => sum.total(), isConstant),
  $count: () => summed((sum) => sum.total()),
  $avg: () => summed((sum) => sum.average()),
  $min: ({ collator }) => folding<unknown>(null, (best, value) => extreme(best, value, -1, collator)),
  $max: ({ collator }) => folding<unknown>(null, (best, value) => extreme(best, value, 1, collator)),
  $first: () => {
    const values: unknown[] = [];
    return { add: (value) => values.length > 0 || values.push(value), result: () => values[0] ?? null };
  },
  $last: () => folding<unknown>(null, (_, value) => value ?? null),
  $push: pushed,
  $addToSet: distinctValues,
  $mergeObjects: () => folding<Document>({}, mergeObjects),
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

/** A sum of the numbers among the values. MongoDB adds a constant double as it is, without compensation. */
function summed(result: (sum: Summation) => unknown, isConstant = false): Accumulator {
  const sum = new Summation();
  let plain: number | undefined;
  return {
    add: (value) => {
      if (isNumeric(value)) {
        sum.add(value);
        plain = isConstant && kindOf(value) === 'double' ? (plain ?? 0) + Number(value) : undefined;
      }
    },
    result: () => (plain === undefined ? result(sum) : asDouble(plain)),
  };
}

function pushed(): Accumulator {
  const list: unknown[] = [];
  return {
    add: (value) => {
      if (value !== MISSING) {
        list.push(value);
      }
    },
    result: () => list,
  };
}

/** Keeps the first of equal values. */
function distinctValues({ collator }: AccumulatorOptions): Accumulator {
  const values = new Map<string, unknown>();
  return {
    add: (value) => {
      const key = value === MISSING ? undefined : encodeKey(value).toString('latin1');
      if (key === undefined || values.has(key)) {
        return;
      }
      // Strings that are equal for the collation have other bytes.
      if (!collator || ![...values.values()].some((other) => equalValues(value, other, collator))) {
        values.set(key, value);
      }
    },
    result: () => [...values.values()],
  };
}
