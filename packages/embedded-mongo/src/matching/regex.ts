import { BSONRegExp, type Document } from 'bson';
import { CommandError, locationError, mongoError } from '../base/errors.ts';
import { equalValues } from '../values/compare.ts';
import type { Test } from './leaf-operator.ts';
import { translatePattern } from './regex-translation.ts';

/** PCRE2's limit in MongoDB (jstests/core/query/regex/regex_max_pattern_length.js). */
const MAX_PATTERN_BYTES = 32_764;

/** `$regex` with its `$options`. */
export function compileRegex(operand: unknown, siblings: Document): Test {
  return matchesPattern(patternOf(operand, siblings));
}

/** True for strings that the pattern matches, and for an equal pattern. */
export function matchesPattern(given: BSONRegExp): Test {
  const { regex, doubtful } = compile(given);
  return (value) => {
    if (typeof value !== 'string') {
      return value instanceof BSONRegExp && equalValues(value, given);
    }
    if (doubtful?.test(value)) {
      throw mongoError(
        'NotImplemented',
        'this pattern on this string is not implemented by the embedded engine',
      );
    }
    return regex.test(value);
  };
}

function patternOf(operand: unknown, siblings: Document): BSONRegExp {
  const { $options } = siblings;
  if ($options !== undefined && typeof $options !== 'string') {
    throw mongoError('BadValue', '$options has to be a string');
  }
  if (typeof operand === 'string') {
    return withOptions(operand, $options ?? '');
  }
  if (!(operand instanceof BSONRegExp)) {
    throw mongoError('BadValue', '$regex has to be a string');
  }
  if (operand.options === '' || $options === undefined) {
    return withOptions(operand.pattern, operand.options || ($options ?? ''));
  }
  const names = Object.keys(siblings);
  const isOptionsFirst = names.indexOf('$options') < names.indexOf('$regex');
  if (isOptionsFirst && $options === '') {
    return operand;
  }
  throw locationError(isOptionsFirst ? 51074 : 51075, 'options set in both $regex and $options');
}

function withOptions(pattern: string, options: string): BSONRegExp {
  const invalid = /[^imsxu]/.exec(options)?.[0];
  if (invalid) {
    throw locationError(51108, `invalid flag in regex options: ${invalid}`);
  }
  if (pattern.includes('\0')) {
    throw mongoError('BadValue', 'Regular expression cannot contain an embedded null byte');
  }
  return new BSONRegExp(pattern, options);
}

function compile({ pattern, options }: BSONRegExp): { regex: RegExp; doubtful: RegExp | undefined } {
  withOptions(pattern, options);
  if (Buffer.byteLength(pattern) > MAX_PATTERN_BYTES) {
    throw locationError(51091, 'Regular expression is invalid: pattern string is longer than the limit');
  }
  try {
    const { source, ignoreCase, doubtful } = translatePattern(pattern, options);
    return { regex: new RegExp(source, ignoreCase ? 'iu' : 'u'), doubtful };
  } catch (error) {
    throw error instanceof CommandError
      ? error
      : locationError(51091, `Regular expression is invalid: ${pattern}`);
  }
}
