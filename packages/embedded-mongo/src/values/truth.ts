import { isNumeric, isZero } from './numbers.ts';
import { MISSING } from './types.ts';

/** MongoDB's truth: every value but false, null, missing and zero. */
export function isTrue(value: unknown): boolean {
  if (value === false || value === null || value === MISSING) {
    return false;
  }
  return !(isNumeric(value) && isZero(value));
}
