import type { Document } from 'bson';
import type { FoundDocument } from '../../query/find-documents.ts';
import type { Collection } from '../../storage/collection.ts';
import { prepare } from '../../storage/storable.ts';
import { refuseExpr } from '../../update/array-filters.ts';
import { compileUpdate } from '../../update/update.ts';
import type { Updater } from '../../update/updater.ts';
import { upsertBase } from '../../update/upsert.ts';
import { decode } from '../../values/bson-codec.ts';
import { type CommandContext, namespaceOf } from '../support/command.ts';
import { arrayField, documentField } from '../support/fields.ts';
import { prescan, statementQuery, targetsOf } from './targets.ts';

/** The outcome of an update. `first` is the first document that it matched or upserted. */
interface UpdateResult {
  matched: number;
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
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  const query = statementQuery(context, statement, multi);
  const arrayFilters = arrayField(statement, 'arrayFilters').map((filter) =>
    documentField({ filter }, 'filter'),
  );
  const updater = compileUpdate(statement.u, { ...query, arrayFilters });
  if (upsert) {
    refuseExpr(query.filter);
  }
  const candidates = await prescan(context, catalog.find(namespace), query);
  return store.write(() => {
    const collection = upsert ? catalog.ensure(namespace) : catalog.find(namespace);
    const result: UpdateResult = { matched: 0, modified: 0 };
    if (!collection) {
      return result;
    }
    // Statements of one unordered batch look for documents at the same time. The second must not upsert another one.
    const known = candidates?.length === 0 && upsert ? undefined : candidates;
    for (const found of targetsOf(collection, query, known)) {
      const change = updateOne(collection, found, updater);
      result.matched++;
      if (change.isModified) {
        result.modified++;
      }
      result.first ??= change;
    }
    if (result.matched > 0 || !upsert) {
      return result;
    }
    return {
      matched: 1,
      modified: 0,
      first: insertUpsert(collection, upsertBase(query.filter, statement.u), updater),
    };
  });
}

function updateOne(
  collection: Collection,
  { record, raw, document }: FoundDocument,
  updater: Updater,
): Change {
  const before = decode(raw);
  const { document: updated, isTouched = false } = updater(document, false);
  const next = prepare(updated);
  const isSame = next.raw.equals(raw);
  if (!isSame) {
    collection.replace(record, before, next.document, next.raw);
  }
  return { before, after: next.document, isModified: isTouched || !isSame };
}

function insertUpsert(collection: Collection, base: Document, updater: Updater): Change {
  const { document, raw } = prepare(updater(base, true).document);
  collection.insert(document, raw);
  return { after: document };
}
