import { isNumeric } from '../../values/numbers.ts';
import { Summation } from '../../values/summation.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { compareInExpression } from './comparison.ts';
import { isNullish, onElements } from './operands.ts';

/** Accumulators of `$group` that are expressions, too. */
export const ACCUMULATING: Record<string, OperatorCompiler> = {
  $sum: onElements((values) => summed(values).total()),
  $avg: onElements((values) => summed(values).average()),
  $min: onElements((values, { collator }) => values.reduce((a, b) => extreme(a, b, -1, collator), null)),
  $max: onElements((values, { collator }) => values.reduce((a, b) => extreme(a, b, 1, collator), null)),
};

function summed(values: readonly unknown[]): Summation {
  const sum = new Summation();
  for (const value of values.filter(isNumeric)) {
    sum.add(value);
  }
  return sum;
}

/** The greater (1) or the lesser (-1) of two values, and of equal ones the first. Null and missing values do not count. */
export function extreme(best: unknown, value: unknown, direction: 1 | -1, collator?: Intl.Collator): unknown {
  if (isNullish(value)) {
    return best;
  }
  return best === null || compareInExpression(value, best, collator) * direction > 0 ? value : best;
}
