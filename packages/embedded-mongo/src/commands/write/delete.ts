import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { applyDelete } from './apply-delete.ts';
import {
  BATCH_FIELDS,
  checkStatementFields,
  errorsField,
  runStatements,
  type StatementResult,
  totalOf,
} from './statements.ts';

const STATEMENT_FIELDS = new Set(['q', 'limit', 'collation', 'hint']);

export const deleteCommand: CommandDefinition = {
  fields: [...BATCH_FIELDS, 'deletes'],
  isWrite: true,
  run: deleteAll,
};

async function deleteAll(context: CommandContext): Promise<Document> {
  const { results, writeErrors = [] } = await runStatements(context, 'deletes', deleteStatement);
  return { n: totalOf(results), ...errorsField(writeErrors) };
}

/** One `{ q, limit, … }` of the command. */
export async function deleteStatement(
  context: CommandContext,
  statement: Document,
): Promise<StatementResult> {
  checkStatementFields(statement, STATEMENT_FIELDS, 'delete.deletes');
  const limit = Number(statement.limit);
  if (limit !== 0 && limit !== 1) {
    throw mongoError(
      'FailedToParse',
      `The limit field in delete objects must be 0 or 1. Got ${statement.limit}`,
    );
  }
  const { removed } = await applyDelete(context, statement, limit === 0);
  return { n: removed, modified: 0 };
}
