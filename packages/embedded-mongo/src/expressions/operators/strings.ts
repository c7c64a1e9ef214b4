import { locationError } from '../../base/errors.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { onExactly } from './operands.ts';

export const STRINGS: Record<string, OperatorCompiler> = {
  $strLenCP: onExactly(1, ([value]) => {
    if (typeof value !== 'string') {
      throw locationError(34471, `$strLenCP requires a string argument, found: ${bsonTypeName(value)}`);
    }
    return [...value].length;
  }),
};
