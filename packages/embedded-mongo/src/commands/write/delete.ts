import type { Document } from 'bson';
import { demand } from '../../base/errors.ts';
import type { FoundDocument } from '../../query/find-documents.ts';
import type { Collection } from '../../storage/collection.ts';
import { isNumeric } from '../../values/numbers.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import type { FieldTypes } from '../support/fields.ts';
import {
  ANY,
  BATCH_TYPES,
  errorsField,
  OBJECT,
  runStatements,
  type StatementResult,
  statementsOf,
  totalOf,
} from './statements.ts';
import { statementQuery, writeToAll, writeToOne } from './targets.ts';

const REQUIRED: FieldTypes = { q: OBJECT, limit: ANY };
const OPTIONAL: FieldTypes = { collation: OBJECT, hint: ANY };

export const deleteCommand: CommandDefinition = {
  fields: [...Object.keys(BATCH_TYPES), 'deletes'],
  isWrite: true,
  run: deleteAll,
};

async function deleteAll(context: CommandContext): Promise<Document> {
  const statements = statementsOf(context, 'deletes', REQUIRED, OPTIONAL);
  const { results, errors } = await runStatements(context, statements, deleteStatement);
  return { n: totalOf(results), ...errorsField(errors) };
}

/** One `{ q, limit, … }` of the command. */
export async function deleteStatement(
  context: CommandContext,
  statement: Document,
): Promise<StatementResult> {
  const limit = isNumeric(statement.limit) ? Number(statement.limit) : undefined;
  demand(limit === 0 || limit === 1, 'FailedToParse', 'The limit field in delete objects must be 0 or 1');
  return applyDelete(context, statement, limit === 0);
}

/** Deletes the documents of a statement (`q sort collation hint`). `first` is the first document that it deleted. */
export async function applyDelete(
  context: CommandContext,
  statement: Document,
  multi: boolean,
): Promise<{ n: number; first?: Document }> {
  const query = statementQuery(context, statement, multi);
  const result: { n: number; first?: Document } = { n: 0 };
  const remove = (collection: Collection, { record, document }: FoundDocument) => {
    collection.remove(record, document);
    result.n++;
    result.first ??= document;
  };
  if (multi) {
    await writeToAll(context, query, remove);
  } else {
    await writeToOne(context, query, false, (collection, target) => {
      if (collection && target) {
        remove(collection, target);
      }
    });
  }
  return result;
}
