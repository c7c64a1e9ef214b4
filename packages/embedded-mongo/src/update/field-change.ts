import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import type { MatchContext } from '../values/match-context.ts';
import { joinPath } from '../values/names.ts';

/** The result of an operator that leaves the field as it is, and of one that removes it. */
export const KEEP = Symbol('keep');
export const REMOVE = Symbol('remove');

/** Gives the new value of one field, KEEP or REMOVE. */
export interface FieldChange {
  (current: unknown, path: string, document: Document): unknown;
  /** True if it counts as a change of the document even if no byte differs. */
  alwaysModifies?: boolean;
}

/** Checks the operand of an operator for one path, and gives the change. */
export type Operator = (operand: unknown, path: string, context: MatchContext) => FieldChange;

/** One operator on one path of an update. */
export interface Modifier {
  operator: string;
  change: FieldChange;
}

/** What an update uses besides the document. The positional `$` refers to the filter. */
export interface UpdateContext extends MatchContext {
  filter: Document;
  arrayFilters?: readonly Document[];
}

/**
 * Gives the next version of a document. It may change the document. `isInsert`: an upsert creates the document; `isTouched`:
 * it counts as a change even if no byte differs, as after `$currentDate`.
 */
export type Updater = (document: Document, isInsert: boolean) => { document: Document; isTouched?: boolean };

/** The error of an update that changes `_id`. */
export function immutableId(parts: readonly string[]): Error {
  return mongoError('ImmutableField', `'${joinPath(parts)}' would modify the immutable field '_id'`);
}
