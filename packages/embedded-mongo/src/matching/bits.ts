import { mongoError } from '../base/errors.ts';
import { isNumeric } from '../values/numbers.ts';
import type { ValueTest } from './leaf-operator.ts';

/** `$bitsAllSet` and its siblings. The mask is a number or a list of positions. */
export function bits(accept: (value: bigint, mask: bigint) => boolean) {
  return (operand: unknown): ValueTest => {
    const mask = Array.isArray(operand)
      ? operand.reduce((sum: bigint, position) => sum | (1n << BigInt(Number(position))), 0n)
      : toMask(operand);
    return (value) => {
      if (!isNumeric(value) || !Number.isInteger(Number(value))) {
        return false;
      }
      return accept(BigInt.asIntN(64, BigInt(String(value))), mask);
    };
  };
}

function toMask(operand: unknown): bigint {
  if (!isNumeric(operand) || !Number.isInteger(Number(operand)) || Number(operand) < 0) {
    throw mongoError(
      'BadValue',
      `bit mask must be a non-negative integer or an array of positions: ${operand}`,
    );
  }
  return BigInt(String(operand));
}
