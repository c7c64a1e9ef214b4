import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { isReplacement } from '../../update/update.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import type { FieldTypes } from '../support/fields.ts';
import { applyUpdate } from './apply-update.ts';
import { ANY, BATCH_TYPES, BOOL, checkStatements, OBJECT, SAFE_BOOL } from './field-types.ts';
import { errorsField, runStatements, type StatementResult, totalOf } from './statements.ts';

const REQUIRED: FieldTypes = { q: OBJECT, u: ANY };
const OPTIONAL: FieldTypes = {
  ...{ c: OBJECT, multi: BOOL, upsert: BOOL, upsertSupplied: SAFE_BOOL },
  ...{ sort: OBJECT, arrayFilters: ['array'], hint: ANY, collation: OBJECT },
};

export const updateCommand: CommandDefinition = {
  fields: [...Object.keys(BATCH_TYPES), 'updates'],
  isWrite: true,
  run: update,
};

async function update(context: CommandContext): Promise<Document> {
  checkStatements(context, 'updates', REQUIRED, OPTIONAL);
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
  for (const internal of ['c', 'upsertSupplied']) {
    if (statement[internal]) {
      throw mongoError('NotImplemented', `'${internal}' is not implemented by the embedded engine`);
    }
  }
  const multi = Boolean(statement.multi);
  const upsert = Boolean(statement.upsert);
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
