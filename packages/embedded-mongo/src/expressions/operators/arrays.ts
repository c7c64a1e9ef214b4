import { locationError } from '../../base/errors.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { compareInExpression } from './comparison.ts';
import { isNullish, onExactly } from './operands.ts';

export const ARRAYS: Record<string, OperatorCompiler> = {
  $in: onExactly(2, ([value, items], { collator }) => {
    if (!Array.isArray(items)) {
      throw locationError(40081, `$in requires an array as a second argument, found: ${bsonTypeName(items)}`);
    }
    return items.some((item) => compareInExpression(value, item, collator) === 0);
  }),
  $first: onExactly(1, ([items]) => {
    if (isNullish(items)) {
      return null;
    }
    if (!Array.isArray(items)) {
      throw locationError(28689, `$first's argument must be an array, but is ${bsonTypeName(items)}`);
    }
    return items[0];
  }),
};
