import { BSONRegExp, type Document } from 'bson';
import { locationError, mongoError } from '../base/errors.ts';
import { equalValues } from '../values/compare.ts';
import type { PatternCost } from '../values/match-context.ts';
import type { CompileContext, Test } from './leaf-operator.ts';
import { compileLinear } from './linear-pattern.ts';
import { invalid } from './regex-translation.ts';

/** PCRE2's limit in MongoDB (jstests/core/query/regex/regex_max_pattern_length.js). */
const MAX_PATTERN_BYTES = 32_764;

/** `$regex` with its `$options`. */
export function compileRegex(operand: unknown, siblings: Document, { patternCost }: CompileContext): Test {
  return matchesPattern(patternOf(operand, siblings), patternCost);
}

/** True for strings that the pattern matches, and for an equal pattern. */
export function matchesPattern(given: BSONRegExp, cost: PatternCost): Test {
  const test = compile(given, cost);
  return (value) =>
    typeof value === 'string' ? test(value) : value instanceof BSONRegExp && equalValues(value, given);
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
  if (/[^imsxu]/.test(options)) {
    throw locationError(51108, `invalid flag in regex options: ${options}`);
  }
  if (pattern.includes('\0')) {
    throw mongoError('BadValue', 'Regular expression cannot contain an embedded null byte');
  }
  return new BSONRegExp(pattern, options);
}

function compile({ pattern, options }: BSONRegExp, cost: PatternCost): (text: string) => boolean {
  withOptions(pattern, options);
  if (Buffer.byteLength(pattern) > MAX_PATTERN_BYTES) {
    throw invalid('pattern string is longer than the limit');
  }
  return compileLinear(pattern, options, cost);
}
