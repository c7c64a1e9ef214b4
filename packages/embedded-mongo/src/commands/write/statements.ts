import type { Document } from 'bson';
import { CommandError, mongoError } from '../../base/errors.ts';
import { MAX_WRITE_BATCH } from '../../base/limits.ts';
import type { CommandContext } from '../support/command.ts';
import { arrayField } from '../support/fields.ts';

/** Statements of an unordered batch that run at a time. They share commits, which cost far more than they do. */
const UNORDERED_AT_ONCE = 100;

/** The outcome of one statement of an update or delete command. */
export interface StatementResult {
  n: number;
  modified: number;
  upserted?: { id: unknown };
}

/** The items of a write command. Throws InvalidLength (16) for none and for too many. */
export function batchOf({ command }: CommandContext, field: string): unknown[] {
  const items = arrayField(command, field);
  if (items.length >= 1 && items.length <= MAX_WRITE_BATCH) {
    return items;
  }
  const message = `Write batch sizes must be between 1 and ${MAX_WRITE_BATCH}. Got ${items.length} operations.`;
  throw mongoError('InvalidLength', message);
}

/**
 * Runs the statements of a batch, which must be documents, and collects their results and errors. An ordered batch runs them one after the other
 * and ends at the first error.
 */
export async function runStatements(
  context: CommandContext,
  field: string,
  run: (context: CommandContext, statement: Document) => Promise<StatementResult>,
) {
  const results: (StatementResult & { index: number })[] = [];
  const errors: Document[] = [];
  const runOne = async ([index, statement]: [number, Document]) => {
    try {
      results.push({ index, ...(await run(context, statement)) });
    } catch (error) {
      errors.push(writeError(index, error));
    }
  };
  const isOrdered = context.command.ordered !== false;
  const atOnce = isOrdered ? 1 : UNORDERED_AT_ONCE;
  const statements = [...(batchOf(context, field) as Document[]).entries()];
  for (let next = 0; next < statements.length && !(isOrdered && errors.length > 0); next += atOnce) {
    await Promise.all(statements.slice(next, next + atOnce).map(runOne));
  }
  const byIndex = (a: Document, b: Document) => a.index - b.index;
  return { results: results.sort(byIndex), ...errorsField(errors.sort(byIndex)) };
}

/** An error of one statement, as a write command answers it. An error that is not MongoDB's goes on. */
export function writeError(index: number, error: unknown): Document {
  if (error instanceof CommandError) {
    return { index, code: error.code, errmsg: error.message, ...error.extra };
  }
  throw error;
}

/** The field `writeErrors` of an answer; no field without errors. */
export function errorsField(errors: Document[]): { writeErrors?: Document[] } {
  return errors.length > 0 ? { writeErrors: errors } : {};
}

/** The sum of the `n` of all results. */
export function totalOf(results: readonly StatementResult[]): number {
  return results.reduce((total, { n }) => total + n, 0);
}
