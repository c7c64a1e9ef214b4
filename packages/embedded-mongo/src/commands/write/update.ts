import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { applyUpdate } from './apply-update.ts';
import {
  BATCH_FIELDS,
  checkStatementFields,
  errorsField,
  runStatements,
  type StatementResult,
  totalOf,
} from './statements.ts';

const STATEMENT_FIELDS = new Set([
  'q',
  'u',
  'c',
  'multi',
  'upsert',
  'collation',
  'arrayFilters',
  'hint',
  'sort',
  'upsertSupplied',
]);

export const updateCommand: CommandDefinition = {
  fields: [...BATCH_FIELDS, 'updates'],
  isWrite: true,
  run: update,
};

async function update(context: CommandContext): Promise<Document> {
  const { results, writeErrors = [] } = await runStatements(context, 'updates', updateStatement);
  const upserted = results.flatMap(({ index, upserted }) => (upserted ? [{ index, _id: upserted.id }] : []));
  return {
    n: totalOf(results),
    nModified: results.reduce((total, { modified }) => total + modified, 0),
    ...(upserted.length > 0 && { upserted }),
    ...errorsField(writeErrors),
  };
}

/** One `{ q, u, … }` of the command. */
export async function updateStatement(
  context: CommandContext,
  statement: Document,
): Promise<StatementResult> {
  checkStatementFields(statement, STATEMENT_FIELDS, 'update.updates');
  const { multi = false, upsert = false } = statement;
  const isReplacement = !Array.isArray(statement.u) && !Object.keys(statement.u ?? {})[0]?.startsWith('$');
  if (multi && isReplacement) {
    throw mongoError('FailedToParse', 'multi update is not supported for replacement-style update');
  }
  if (multi && statement.sort) {
    throw mongoError('FailedToParse', 'Cannot specify sort with multi=true');
  }
  const options = { multi: Boolean(multi), upsert: Boolean(upsert) };
  const { matched, modified, first } = await applyUpdate(context, statement, options);
  const { before, after } = first ?? {};
  const isUpserted = !before && after !== undefined;
  return { n: matched, modified, ...(isUpserted && { upserted: { id: after._id } }) };
}
