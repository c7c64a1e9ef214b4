import { isNumeric } from '../../values/numbers.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { MISSING } from '../../values/types.ts';
import type { OperatorCompiler } from '../evaluate.ts';
import { onExactly } from './operands.ts';

export const TYPES: Record<string, OperatorCompiler> = {
  $type: onExactly(1, ([value]) => (value === MISSING ? 'missing' : bsonTypeName(value))),
  $isNumber: onExactly(1, ([value]) => isNumeric(value)),
};
