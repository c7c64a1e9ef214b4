import { BSONRegExp } from 'bson';
import { locationError, mongoError } from '../base/errors.ts';
import { equalValues } from '../values/compare.ts';
import type { Test } from './leaf-operator.ts';

/** True for strings that the pattern matches, and for an equal pattern. */
export function matches(pattern: BSONRegExp): Test {
  const regex = compileRegex(pattern);
  return (value) => (typeof value === 'string' ? regex.test(value) : isSameRegex(value, pattern));
}

function isSameRegex(value: unknown, pattern: BSONRegExp): boolean {
  return value instanceof BSONRegExp && equalValues(value, pattern);
}

/** `{ $regex: operand, $options: options }` as one pattern. */
export function toRegex(operand: unknown, options: unknown): BSONRegExp {
  if (options !== undefined && typeof options !== 'string') {
    throw mongoError('BadValue', '$options has to be a string');
  }
  if (operand instanceof BSONRegExp) {
    return new BSONRegExp(operand.pattern, options ?? operand.options);
  }
  if (typeof operand !== 'string') {
    throw mongoError('BadValue', '$regex has to be a string');
  }
  return new BSONRegExp(operand, options);
}

/** JavaScript's regular expressions stand for PCRE's. The option x, which JavaScript does not have, is refused. */
function compileRegex({ pattern, options }: BSONRegExp): RegExp {
  const unsupported = /[^ims]/.exec(options.replace('u', ''));
  if (unsupported?.[0] === 'x') {
    throw mongoError('NotImplemented', 'regex option x is not implemented by the embedded engine');
  }
  if (unsupported) {
    throw locationError(51108, `invalid flag in regex options: ${unsupported[0]}`);
  }
  const flags = options.replace('u', '');
  for (const each of [`${flags}u`, flags]) {
    try {
      return new RegExp(pattern, each);
    } catch {
      // The flag u is stricter about escapes than PCRE. The next attempt is without it.
    }
  }
  throw locationError(51091, `Regular expression is invalid: ${pattern}`);
}
