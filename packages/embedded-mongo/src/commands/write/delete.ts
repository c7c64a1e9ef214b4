import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { isNumeric } from '../../values/numbers.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import type { FieldTypes } from '../support/fields.ts';
import { applyDelete } from './apply-delete.ts';
import { ANY, BATCH_TYPES, checkStatements, OBJECT } from './field-types.ts';
import { errorsField, runStatements, type StatementResult, totalOf } from './statements.ts';

const REQUIRED: FieldTypes = { q: OBJECT, limit: ANY };
const OPTIONAL: FieldTypes = { collation: OBJECT, hint: ANY };

export const deleteCommand: CommandDefinition = {
  fields: [...Object.keys(BATCH_TYPES), 'deletes'],
  isWrite: true,
  run: deleteAll,
};

async function deleteAll(context: CommandContext): Promise<Document> {
  checkStatements(context, 'deletes', REQUIRED, OPTIONAL);
  const { results, writeErrors = [] } = await runStatements(context, 'deletes', deleteStatement);
  return { n: totalOf(results), ...errorsField(writeErrors) };
}

/** One `{ q, limit, … }` of the command. */
export async function deleteStatement(
  context: CommandContext,
  statement: Document,
): Promise<StatementResult> {
  const limit = isNumeric(statement.limit) ? Number(statement.limit) : undefined;
  if (limit !== 0 && limit !== 1) {
    throw mongoError(
      'FailedToParse',
      `The limit field in delete objects must be 0 or 1. Got ${statement.limit}`,
    );
  }
  const { removed } = await applyDelete(context, statement, limit === 0);
  return { n: removed, modified: 0 };
}
