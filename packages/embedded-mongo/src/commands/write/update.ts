import type { Document } from 'bson';
import { demand } from '../../base/errors.ts';
import type { FoundDocument } from '../../query/find-documents.ts';
import type { Collection } from '../../storage/collection.ts';
import { prepare } from '../../storage/storable.ts';
import { refuseExpr } from '../../update/array-filters.ts';
import type { Updater } from '../../update/field-change.ts';
import { compileUpdate, isReplacement } from '../../update/update.ts';
import { upsertBase } from '../../update/upsert.ts';
import { decode } from '../../values/bson-codec.ts';
import type { CommandContext, CommandDefinition } from '../support/command.ts';
import { arrayField, documentField, type FieldTypes } from '../support/fields.ts';
import {
  ANY,
  BATCH_TYPES,
  BOOL,
  errorsField,
  OBJECT,
  runStatements,
  type StatementResult,
  statementsOf,
  totalOf,
} from './statements.ts';
import { statementQuery, writeToAll, writeToOne } from './targets.ts';

const REQUIRED: FieldTypes = { q: OBJECT, u: ANY };
const FLAGS: FieldTypes = { multi: BOOL, upsert: BOOL };
const OPTIONAL: FieldTypes = {
  ...FLAGS,
  sort: OBJECT,
  arrayFilters: ['array'],
  hint: ANY,
  collation: OBJECT,
};

export const updateCommand: CommandDefinition = {
  fields: [...Object.keys(BATCH_TYPES), 'updates'],
  isWrite: true,
  run: update,
};

async function update(context: CommandContext): Promise<Document> {
  const statements = statementsOf(context, 'updates', REQUIRED, OPTIONAL);
  const { results, errors } = await runStatements(context, statements, updateStatement);
  const upserted = results.flatMap(({ index, upserted }) => (upserted ? [{ index, _id: upserted.id }] : []));
  return {
    n: totalOf(results),
    nModified: totalOf(results, 'modified'),
    ...(upserted.length > 0 && { upserted }),
    ...errorsField(errors),
  };
}

/** One `{ q, u, … }` of the command. */
export async function updateStatement(
  context: CommandContext,
  statement: Document,
): Promise<StatementResult> {
  const { u, multi = false, upsert = false, sort } = statement;
  demand(!multi || !isReplacement(u), 'FailedToParse', 'multi update is not supported for a replacement');
  demand(!multi || !sort, 'FailedToParse', 'Cannot specify sort with multi=true');
  const { n, modified, first } = await applyUpdate(context, statement, { multi, upsert });
  const isUpserted = first && !first.before;
  return { n, modified, ...(isUpserted && { upserted: { id: first.after._id } }) };
}

/** The outcome of an update. `first` is the first document that it matched or upserted. */
interface UpdateResult {
  n: number;
  modified: number;
  first?: Change;
}

/** One document before and after an update. An upserted one has no `before`. */
interface Change {
  before?: Document;
  after: Document;
  /** It counts as modified, even if no byte differs. */
  isModified?: boolean;
}

/** Updates the documents of a statement (`q u sort collation arrayFilters hint`). */
export async function applyUpdate(
  context: CommandContext,
  statement: Document,
  { multi, upsert }: { multi: boolean; upsert: boolean },
): Promise<UpdateResult> {
  const query = statementQuery(context, statement, multi);
  const filters = arrayField(statement, 'arrayFilters');
  const arrayFilters = filters.map((filter) => documentField({ filter }, 'filter'));
  const updater = compileUpdate(statement.u, { ...query, arrayFilters });
  if (upsert) {
    refuseExpr(query.filter);
  }
  const result: UpdateResult = { n: 0, modified: 0 };
  const update = (collection: Collection, target: FoundDocument) => {
    const change = updateOne(collection, target, updater);
    result.n++;
    result.modified += change.isModified ? 1 : 0;
    result.first ??= change;
  };
  if (multi) {
    await writeToAll(context, query, update);
  }
  if (multi && (result.n > 0 || !upsert)) {
    return result;
  }
  await writeToOne(context, { ...query, limit: 1 }, upsert, (collection, target) => {
    if (collection && target) {
      update(collection, target);
    } else if (collection && upsert) {
      const { document, raw } = prepare(updater(upsertBase(query.filter, statement.u), true).document);
      collection.insert(document, raw);
      Object.assign(result, { n: 1, first: { after: document } });
    }
  });
  return result;
}

function updateOne(collection: Collection, found: FoundDocument, updater: Updater): Change {
  const { record, raw, document } = found;
  const before = decode(raw);
  const { document: updated, isTouched = false } = updater(document, false);
  const next = prepare(updated);
  const isSame = next.raw.equals(raw);
  if (!isSame) {
    collection.replace(record, before, next.document, next.raw);
  }
  return { before, after: next.document, isModified: isTouched || !isSame };
}
