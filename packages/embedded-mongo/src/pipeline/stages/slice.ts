import { demand } from '../../base/errors.ts';
import { isNumeric } from '../../values/numbers.ts';
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
  demand(limit > 0, 15958, 'the limit must be positive');
  return limit;
}

function countOf(value: unknown, name: string, code: number): number {
  const count = isNumeric(value) ? Number(value) : -1;
  const isCount = Number.isInteger(count) && count >= 0 && count < 2 ** 63;
  demand(isCount, code, `invalid argument to ${name} stage: not a non-negative integer`);
  return count;
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
