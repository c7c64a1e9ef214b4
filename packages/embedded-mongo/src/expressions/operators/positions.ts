import { locationError } from '../../base/errors.ts';
import { compareValues } from '../../values/compare.ts';
import { display } from '../../values/display.ts';
import { isNumeric } from '../../values/numbers.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { isInt32 } from '../../values/types.ts';

/**
 * An operand that must be a 32-bit integer, of any number type.
 * @param notNumeric MongoDB's error for a value that is no number
 * @param notInteger MongoDB's error for a number that is no integer of 32 bits
 */
export function int32Of(value: unknown, what: string, notNumeric: number, notInteger: number): number {
  if (!isNumeric(value)) {
    throw locationError(notNumeric, `${what} must be a numeric value, but is ${bsonTypeName(value)}`);
  }
  // The sum turns -0 into 0. The comparison is exact: a Decimal128 has more digits than a double.
  const integer = Number(value) + 0;
  if (isInt32(integer) && compareValues(value, integer) === 0) {
    return integer;
  }
  throw locationError(notInteger, `${what} must be representable as a 32-bit integer: ${display(value)}`);
}
