import { demand } from '../../base/errors.ts';
import { countSteps } from '../bounds.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { compareInExpression } from './comparison.ts';
import { demandType, int32Of, isNullish, onExactly, onJoined, onOne, onValues } from './operands.ts';

export const ARRAYS: Record<string, OperatorCompiler> = {
  $arrayElemAt: onExactly(2, ([items, index]) => elementAt('$arrayElemAt', items, index)),
  $concatArrays: onJoined(Array.isArray, 28664, concatArrays),
  $first: onExactly(1, ([items]) => elementAt('$first', items, 0)),
  $in: onExactly(2, ([value, items], { collator }) =>
    arrayOf(items, '$in', 40081).some((item) => compareInExpression(value, item, collator) === 0),
  ),
  $isArray: onExactly(1, ([value]) => Array.isArray(value)),
  $last: onExactly(1, ([items]) => elementAt('$last', items, -1)),
  $range: onValues(range, 2, 3),
  $reverseArray: onOne(Array.isArray, 34435, (items) => [...items].reverse()),
  $size: onExactly(1, ([items]) => arrayOf(items, '$size', 17124).length),
  $slice: onValues(slice, 2, 3),
};

function arrayOf(value: unknown, name: string, code: number): unknown[] {
  demandType(Array.isArray(value), code, `${name} requires an array`, value);
  return value;
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
  return array.at(int32Of(index, `${name}'s second argument`, [28690, 28691]));
}

function range([first, last, by = 1]: unknown[]): number[] {
  const start = int32Of(first, "$range's start", [34443, 34444]);
  const end = int32Of(last, "$range's end", [34445, 34446]);
  const step = int32Of(by, "$range's step", [34447, 34448]);
  demand(step !== 0, 34449, '$range requires a non-zero step value');
  const length = Math.max(Math.ceil((end - start) / step), 0);
  countSteps(length);
  return Array.from({ length }, (_, i) => start + i * step);
}

/** `[array, count]`, where a negative count counts from the end, or `[array, start, count]`. */
function slice(values: unknown[]): unknown {
  const [items, second, third] = values;
  if (isNullish(items) || isNullish(second)) {
    return null;
  }
  const array = arrayOf(items, '$slice', 28724);
  const first = int32Of(second, 'Second argument to $slice', [28725, 28726]);
  if (values.length === 2) {
    return first < 0 ? array.slice(first) : array.slice(0, first);
  }
  if (isNullish(third)) {
    return null;
  }
  const count = int32Of(third, 'Third argument to $slice', [28727, 28728]);
  demand(count > 0, 28729, 'Third argument to $slice must be positive');
  const start = first < 0 ? Math.max(array.length + first, 0) : first;
  return array.slice(start, start + count);
}
