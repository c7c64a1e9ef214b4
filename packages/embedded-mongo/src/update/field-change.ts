import type { Document } from 'bson';
import type { MatchContext } from '../values/match-context.ts';

/** The result of an operator that leaves the field as it is, and of one that removes it. */
export const KEEP = Symbol('keep');
export const REMOVE = Symbol('remove');

/** Gives the new value of one field, KEEP or REMOVE. */
export type FieldChange = (current: unknown, path: string, document: Document) => unknown;

/** Checks the operand of an operator for one path, and gives the change. */
export type Operator = (operand: unknown, path: string, context: MatchContext) => FieldChange;
