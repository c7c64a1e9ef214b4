import type { OperatorCompiler } from '../evaluate.ts';
import { ACCUMULATING } from './accumulators.ts';
import { ARITHMETIC } from './arithmetic.ts';
import { ARRAYS } from './arrays.ts';
import { COMPARISON } from './comparison.ts';
import { CONDITIONS } from './conditions.ts';
import { CONVERSIONS } from './conversions.ts';
import { DATES } from './dates.ts';
import { OBJECTS } from './objects.ts';
import { STRINGS } from './strings.ts';
import { VARIABLES } from './variables.ts';

/** The operators of expressions by their names. */
export const OPERATORS: Record<string, OperatorCompiler> = {
  ...ACCUMULATING,
  ...ARITHMETIC,
  ...ARRAYS,
  ...COMPARISON,
  ...CONDITIONS,
  ...CONVERSIONS,
  ...DATES,
  ...OBJECTS,
  ...STRINGS,
  ...VARIABLES,
};
