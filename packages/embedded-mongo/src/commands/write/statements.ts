import type { Document } from 'bson';
import { CommandError, demand } from '../../base/errors.ts';
import { BATCHED_WRITES_AT_ONCE, MAX_WRITE_BATCH } from '../../base/limits.ts';
import { TYPE_CODES } from '../../values/type-names.ts';
import { isDocument } from '../../values/types.ts';
import type { CommandContext } from '../support/command.ts';
import { arrayField, checkTypes, type FieldTypes, NUMBER, wrongType } from '../support/fields.ts';

export const OBJECT = ['object'];
export const BOOL = ['bool'];
export const SAFE_BOOL = ['bool', ...NUMBER];
export const ANY = Object.keys(TYPE_CODES);

/** The fields that insert, update and delete share. */
export const BATCH_TYPES: FieldTypes = { ordered: BOOL, bypassDocumentValidation: SAFE_BOOL, let: OBJECT };

/** The outcome of one statement of a write. */
export interface StatementResult {
  n: number;
  modified?: number;
  upserted?: { id: unknown };
}

/** The items of a write command. Throws InvalidLength (16) for none and for too many. */
export function batchOf({ command }: CommandContext, field: string): unknown[] {
  const items = arrayField(command, field);
  const isAllowed = items.length >= 1 && items.length <= MAX_WRITE_BATCH;
  demand(isAllowed, 'InvalidLength', `Write batch sizes must be between 1 and ${MAX_WRITE_BATCH}`);
  return items;
}

/** The fields of a command that have types here, without nulls. Throws TypeMismatch (14). */
export function typedFields(command: Document, where: string, types: FieldTypes): Document {
  const known = Object.entries(command).filter(([name]) => Object.hasOwn(types, name));
  const fields: Document = Object.fromEntries(known);
  checkTypes(fields, where, {}, types);
  return fields;
}

/** The statements of a batch, checked before the first one runs: a malformed one fails the command. */
export function statementsOf(
  context: CommandContext,
  field: string,
  ...types: [required: FieldTypes, optional: FieldTypes]
): Document[] {
  const where = Object.keys(context.command)[0] as string;
  typedFields(context.command, where, BATCH_TYPES);
  return batchOf(context, field).map((statement) => {
    if (!isDocument(statement)) {
      throw wrongType(`${where}.${field}`, statement, OBJECT);
    }
    checkTypes(statement, `${where}.${field}`, ...types);
    return statement;
  });
}

/** Runs statements and collects their results and errors. An ordered batch runs one after the other, to the first error. */
export async function runStatements<T extends Document>(
  context: CommandContext,
  statements: readonly T[],
  run: (context: CommandContext, statement: T) => Promise<StatementResult>,
  atOnce = context.command.ordered === false && !statements.some(isMulti) ? BATCHED_WRITES_AT_ONCE : 1,
) {
  const results: (StatementResult & { index: number })[] = [];
  const errors: Document[] = [];
  const runOne = async ([index, statement]: [number, T]) => {
    try {
      results.push({ index, ...(await run(context, statement)) });
    } catch (error) {
      errors.push(writeError(index, error));
    }
  };
  const isOrdered = context.command.ordered !== false;
  const entries = [...statements.entries()];
  for (let next = 0; next < entries.length && !(isOrdered && errors.length > 0); next += atOnce) {
    const batch = entries.slice(next, next + atOnce);
    const runBatch = () => Promise.all(batch.map(runOne));
    await (atOnce > 1 ? context.engine.store.batches.take(batch.length, runBatch) : runBatch());
  }
  const byIndex = (a: Document, b: Document) => a.index - b.index;
  return { results: results.sort(byIndex), errors: errors.sort(byIndex) };
}

/** True if the statement writes to all documents that match. It must see the writes of the statements before it. */
function isMulti(statement: Document): boolean {
  return statement.multi === true || Number(statement.limit) === 0;
}

/** An error of one statement, as a write command answers it. An error that is not MongoDB's is thrown. */
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

/** The sum of one count of all results. */
export function totalOf(results: readonly StatementResult[], count: 'n' | 'modified' = 'n'): number {
  return results.reduce((total, result) => total + (result[count] ?? 0), 0);
}
