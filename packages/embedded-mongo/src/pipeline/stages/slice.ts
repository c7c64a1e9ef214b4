import { locationError } from '../../base/errors.ts';
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

/** The operand of `$skip`, a whole number that is not negative (5107200). */
export function skipOperand(value: unknown): number {
  if (isWholeNumber(value) && Number(value) >= 0) {
    return Number(value);
  }
  const found = bsonTypeName(value);
  const message = `invalid argument to $skip stage: Expected a non-negative number, found ${found}`;
  throw locationError(5107200, message);
}

/** The operand of `$limit`, a positive whole number (15958). */
export function limitOperand(value: unknown): number {
  if (isWholeNumber(value) && Number(value) >= 1) {
    return Number(value);
  }
  const found = bsonTypeName(value);
  throw locationError(15958, `invalid argument to $limit stage: Expected a positive number, found ${found}`);
}

function isWholeNumber(value: unknown): boolean {
  return typeof value !== 'string' && typeof value !== 'boolean' && Number.isInteger(Number(value));
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
