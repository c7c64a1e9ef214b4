import type { Document } from 'bson';
import type { MatchContext } from '../values/match-context.ts';
import { isDocument } from '../values/types.ts';

/** True if one value passes. */
export type ValueTest = (value: unknown) => boolean;

/** What an operator may use to compile its operand. */
export interface CompileContext extends MatchContext {
  /** For operators that contain a filter. */
  compileFilter(filter: Document, context: MatchContext): (document: Document) => boolean;
}

/** A query operator on one value. */
export interface LeafOperator {
  /** If the path ends at an array, the operator tests its elements, too. */
  expandsLast: boolean;
  /** @param siblings the whole operator object, such as `{ $regex: 'x', $options: 'i' }` */
  compile(operand: unknown, siblings: Document, context: CompileContext): ValueTest;
}

/** True for `{ $gt: 1 }`, false for a document that a value must equal. The fields of a DBRef are no operators. */
export function isOperatorObject(value: unknown): value is Document {
  if (!isDocument(value)) {
    return false;
  }
  const first = Object.keys(value)[0];
  return first?.startsWith('$') === true && !['$ref', '$id', '$db'].includes(first);
}
