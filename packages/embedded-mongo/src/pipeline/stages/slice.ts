import { locationError } from '../../base/errors.ts';
import { isNumeric } from '../../values/numbers.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import type { Stage } from '../stage.ts';

/** `$skip`: leaves out the first documents. */
export function skipStage(operand: unknown): Stage {
  return sliceStage(skipOperand(operand), Infinity);
}

/** `$limit`: keeps only the first documents. */
export function limitStage(operand: unknown): Stage {
  return sliceStage(0, limitOperand(operand));
}

/** The operand of `$skip`, a whole number of any type that is not negative (5107200). */
export function skipOperand(value: unknown): number {
  return countOf(value, '$skip', 5107200);
}

/** The operand of `$limit`, a whole number of any type (5107201) above zero (15958). */
export function limitOperand(value: unknown): number {
  const limit = countOf(value, '$limit', 5107201);
  if (limit > 0) {
    return limit;
  }
  throw locationError(15958, 'the limit must be positive');
}

function countOf(value: unknown, name: string, code: number): number {
  const count = isNumeric(value) ? Number(value) : -1;
  if (Number.isInteger(count) && count >= 0 && count < 2 ** 63) {
    return count;
  }
  const message = `invalid argument to ${name} stage: Expected a non-negative integer, found ${bsonTypeName(value)}`;
  throw locationError(code, message);
}

function sliceStage(skip: number, limit: number): Stage {
  return function* slice(documents) {
    let position = 0;
    for (const document of documents) {
      if (document === undefined) {
        yield undefined;
      } else if (++position > skip) {
        yield document;
      }
      if (position >= skip + limit) {
        return;
      }
    }
  };
}
