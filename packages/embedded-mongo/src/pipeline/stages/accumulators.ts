import type { Document } from 'bson';
import { add, asDouble } from '../../values/arithmetic.ts';
import { compareValues } from '../../values/compare.ts';
import { encodeKey } from '../../values/key-encoding.ts';
import { type BsonNumber, isNumeric } from '../../values/numbers.ts';
import { isDocument, MISSING } from '../../values/types.ts';

/** Collects the values of one field of a group. */
export interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

/** The accumulators of `$group`. Each call of an entry begins a new group. */
export const ACCUMULATORS: Record<string, () => Accumulator> = {
  $sum: () => folding<BsonNumber>(0, (sum, value) => (isNumeric(value) ? add(sum, value) : sum)),
  $count: () => folding<BsonNumber>(0, (count) => add(count, 1)),
  $avg: average,
  $min: () => extreme((order) => order < 0),
  $max: () => extreme((order) => order > 0),
  $first: first,
  $last: () => folding<unknown>(null, (_, value) => value ?? null),
  $push: pushed,
  $addToSet: distinctValues,
  $mergeObjects: () =>
    folding<Document>({}, (merged, value) => (isDocument(value) ? { ...merged, ...value } : merged)),
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

/** The least or the greatest value. Null and missing values do not count. */
function extreme(isBetter: (order: number) => boolean): Accumulator {
  return folding<unknown>(null, (best, value) => {
    if (value === null || value === MISSING) {
      return best;
    }
    return best === null || isBetter(compareValues(value, best)) ? value : best;
  });
}

function average(): Accumulator {
  let count = 0;
  let sum: BsonNumber = 0;
  return {
    add: (value) => {
      if (isNumeric(value)) {
        count++;
        sum = add(sum, value);
      }
    },
    result: () => (count === 0 ? null : asDouble(Number(sum) / count)),
  };
}

function first(): Accumulator {
  let isEmpty = true;
  let value: unknown = null;
  return {
    add: (next) => {
      if (isEmpty) {
        value = next ?? null;
      }
      isEmpty = false;
    },
    result: () => value,
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

function distinctValues(): Accumulator {
  const values = new Map<string, unknown>();
  return {
    add: (value) => {
      if (value !== MISSING) {
        values.set(encodeKey(value).toString('latin1'), value);
      }
    },
    result: () => [...values.values()],
  };
}
