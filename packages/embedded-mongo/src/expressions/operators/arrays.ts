import { locationError } from '../../base/errors.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { MAX_EXPRESSION_BYTES, tooLarge, VALUE_BYTES } from '../bounds.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { compareInExpression } from './comparison.ts';
import { onJoined } from './joining.ts';
import { isNullish, onExactly, onSome } from './operands.ts';
import { int32Of } from './positions.ts';

export const ARRAYS: Record<string, OperatorCompiler> = {
  $arrayElemAt: onExactly(2, ([items, index]) => elementAt('$arrayElemAt', items, index)),
  $concatArrays: onJoined(Array.isArray, 28664, concatArrays),
  $first: onExactly(1, ([items]) => elementAt('$first', items, 0)),
  $in: onExactly(2, ([value, items], { collator }) =>
    arrayOf(items, '$in', 40081).some((item) => compareInExpression(value, item, collator) === 0),
  ),
  $isArray: onExactly(1, ([value]) => Array.isArray(value)),
  $last: onExactly(1, ([items]) => elementAt('$last', items, -1)),
  $range: onSome(2, 3, range),
  $reverseArray: onExactly(1, ([items]) =>
    isNullish(items) ? null : [...arrayOf(items, '$reverseArray', 34435)].reverse(),
  ),
  $size: onExactly(1, ([items]) => arrayOf(items, '$size', 17124).length),
  $slice: onSome(2, 3, slice),
};

function arrayOf(value: unknown, name: string, code: number): unknown[] {
  if (Array.isArray(value)) {
    return value;
  }
  throw locationError(code, `${name} requires an array, but got ${bsonTypeName(value)}`);
}

/** Much faster than `flat`. */
function concatArrays(arrays: readonly unknown[][]): unknown[] {
  const items: unknown[] = [];
  for (const array of arrays) {
    for (const item of array) {
      items.push(item);
    }
  }
  return items;
}

/** A negative index counts from the end. An index outside the array gives a missing value. */
function elementAt(name: string, items: unknown, index: unknown): unknown {
  if (isNullish(items) || isNullish(index)) {
    return null;
  }
  const array = arrayOf(items, name, 28689);
  return array.at(int32Of(index, `${name}'s second argument`, 28690, 28691));
}

/** MongoDB's errors for each operand of $range that is no number, or no integer. */
const RANGE_ERRORS = [
  ['start', 34443, 34444],
  ['end', 34445, 34446],
  ['step', 34447, 34448],
] as const;

function range(values: unknown[]): number[] {
  const [start = 0, end = 0, step = 1] = values.map((value, i) => {
    const [what, notNumeric, notInteger] = RANGE_ERRORS[i] as (typeof RANGE_ERRORS)[number];
    return int32Of(value, `$range's ${what}`, notNumeric, notInteger);
  });
  if (step === 0) {
    throw locationError(34449, '$range requires a non-zero step value');
  }
  const length = Math.max(Math.ceil((end - start) / step), 0);
  if (length * VALUE_BYTES >= MAX_EXPRESSION_BYTES) {
    throw tooLarge('$range');
  }
  return Array.from({ length }, (_, i) => start + i * step);
}

/** `[array, count]`, where a negative count counts from the end, or `[array, start, count]`. */
function slice(values: unknown[]): unknown {
  const [items, second, third] = values;
  if (isNullish(items) || isNullish(second)) {
    return null;
  }
  const array = arrayOf(items, '$slice', 28724);
  const first = int32Of(second, 'Second argument to $slice', 28725, 28726);
  if (values.length === 2) {
    return first < 0 ? array.slice(first) : array.slice(0, first);
  }
  if (isNullish(third)) {
    return null;
  }
  const count = int32Of(third, 'Third argument to $slice', 28727, 28728);
  if (count <= 0) {
    throw locationError(28729, `Third argument to $slice must be positive: ${count}`);
  }
  const start = first < 0 ? Math.max(array.length + first, 0) : first;
  return array.slice(start, start + count);
}
