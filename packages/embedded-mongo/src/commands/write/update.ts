import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { isReplacement } from '../../update/update.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { booleanField } from '../support/fields.ts';
import { applyUpdate } from './apply-update.ts';
import {
  BATCH_FIELDS,
  checkStatementFields,
  errorsField,
  requireFields,
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
async function updateStatement(context: CommandContext, statement: Document): Promise<StatementResult> {
  checkStatementFields(statement, STATEMENT_FIELDS, 'update.updates');
  requireFields(statement, ['q', 'u'], 'update.updates');
  for (const internal of ['c', 'upsertSupplied']) {
    if (statement[internal] !== undefined) {
      throw mongoError('NotImplemented', `'${internal}' is not implemented by the embedded engine`);
    }
  }
  const multi = booleanField(statement, 'multi');
  const upsert = booleanField(statement, 'upsert');
  if (multi && isReplacement(statement.u)) {
    throw mongoError('FailedToParse', 'multi update is not supported for replacement-style update');
  }
  if (multi && statement.sort) {
    throw mongoError('FailedToParse', 'Cannot specify sort with multi=true');
  }
  const { matched, modified, first } = await applyUpdate(context, statement, { multi, upsert });
  const { before, after } = first ?? {};
  const isUpserted = !before && after !== undefined;
  return { n: matched, modified, ...(isUpserted && { upserted: { id: after._id } }) };
}
