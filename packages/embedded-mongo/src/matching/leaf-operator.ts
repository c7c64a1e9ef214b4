import type { Document } from 'bson';
import { mongoError, notImplemented } from '../base/errors.ts';
import type { MatchContext, PatternCost } from '../values/match-context.ts';
import { isDocument } from '../values/types.ts';
import type { MatchDetails } from './match-details.ts';

/** True if a document, or a value in one, passes. It records in `details` which elements of arrays did. */
export type Test = (value: unknown, details?: MatchDetails) => boolean;

/** Where a filter stands, and what it uses besides the document. */
export interface CompileContext extends MatchContext {
  patternCost: PatternCost;
  /** True within `$elemMatch`: the filter is for an element, not for a whole document. */
  inElement?: boolean;
  /** For operators that contain a filter. */
  compileFilter(filter: Document, context: CompileContext): Test;
}

/** A query operator on one value. */
export interface LeafOperator {
  /** If the path ends at an array, the operator tests its elements, too. */
  expandsLast: boolean;
  /** @param siblings the whole operator object, such as `{ $regex: 'x', $options: 'i' }` */
  compile(operand: unknown, siblings: Document, context: CompileContext): Test;
}

/** True for `{ $gt: 1 }`, false for a document that a value must equal, such as a DBRef with `$ref` and `$id`. */
export function isOperatorObject(value: unknown): value is Document {
  return (
    isDocument(value) &&
    Object.keys(value)[0]?.startsWith('$') === true &&
    !('$ref' in value && '$id' in value)
  );
}

/** A test that all of these pass. */
export function allOf(tests: readonly Test[]): Test {
  return tests.length === 1
    ? (tests[0] as Test)
    : (value, details) => tests.every((test) => test(value, details));
}

/** Operators of MongoDB's that this engine does not have. */
const REFUSED = new Set([
  ...['$where', '$jsonSchema', '$alwaysTrue', '$alwaysFalse', '$sampleRate'],
  ...['$bitsAllSet', '$bitsAllClear', '$bitsAnySet', '$bitsAnyClear'],
  ...['$geoWithin', '$geoIntersects', '$near', '$nearSphere', '$geoNear', '$within'],
]);

/** The error for an operator that is not in the tables: MongoDB's, or a refusal. */
export function unknownOperator(name: string, message: string): Error {
  return REFUSED.has(name) ? notImplemented(name) : mongoError('BadValue', message);
}
