import { MinKey } from 'bson';
import { compareValues } from '../../values/compare.ts';
import { isNumeric } from '../../values/numbers.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { MISSING } from '../../values/types.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { onExactly } from './operands.ts';

/** `$eq` and its siblings, `$cmp`, and the questions about a value's type. */
export const COMPARISON: Record<string, OperatorCompiler> = {
  $eq: compared((order) => order === 0),
  $ne: compared((order) => order !== 0),
  $gt: compared((order) => order > 0),
  $gte: compared((order) => order >= 0),
  $lt: compared((order) => order < 0),
  $lte: compared((order) => order <= 0),
  $cmp: compared(Math.sign),
  $type: onExactly(1, ([value]) => (value === MISSING ? 'missing' : bsonTypeName(value))),
  $isNumber: onExactly(1, ([value]) => isNumeric(value)),
};

function compared(accept: (order: number) => unknown): OperatorCompiler {
  return onExactly(2, ([a, b], { collator }) => accept(compareInExpression(a, b, collator)));
}

/** In expressions, unlike in filters, a missing value is less than null and all other values but MinKey. */
export function compareInExpression(a: unknown, b: unknown, collator?: Intl.Collator): number {
  if (a === MISSING || b === MISSING) {
    return rankOfMissing(a) - rankOfMissing(b);
  }
  return compareValues(a, b, collator);
}

function rankOfMissing(value: unknown): number {
  return value === MISSING ? 0 : value instanceof MinKey ? -1 : 1;
}
