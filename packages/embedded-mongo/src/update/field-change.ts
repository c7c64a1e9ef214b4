import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import type { MatchContext } from '../values/match-context.ts';
import { joinPath } from '../values/names.ts';

/** The result of an operator that leaves the field as it is, and of one that removes it. */
export const KEEP = Symbol('keep');
export const REMOVE = Symbol('remove');

/** Gives the new value of one field, KEEP or REMOVE. */
export type FieldChange = (current: unknown, path: string, document: Document) => unknown;

/** Checks the operand of an operator for one path, and gives the change. */
export type Operator = (operand: unknown, path: string, context: MatchContext) => FieldChange;

/** One operator on one path of an update. */
export interface Modifier {
  operator: string;
  change: FieldChange;
  /** The operator counts as a change even if the field keeps its value. */
  alwaysModifies: boolean;
}

/** The error of an update that changes `_id`. */
export function immutableId(parts: readonly string[]): Error {
  const path = joinPath(parts);
  return mongoError('ImmutableField', `Updating the path '${path}' would modify the immutable field '_id'`);
}
