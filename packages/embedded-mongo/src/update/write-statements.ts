import type { Document } from 'bson';
import { locationError, mongoError } from '../base/errors.ts';
import {
  arrayField,
  type CommandContext,
  deadlineOf,
  hintOf,
  matchContextOf,
  namespaceOf,
} from '../commands/command.ts';
import { compileFilter } from '../matching/matcher.ts';
import { type FoundDocument, findDocuments, planOf, type QueryOptions } from '../query/query.ts';
import type { Collection } from '../storage/collection.ts';
import { prepare } from '../values/documents.ts';
import { decode, isDocument } from '../values/values.ts';
import { compileUpdate, type Updater } from './update.ts';
import { upsertBase } from './upsert.ts';

/** What one statement of an update or delete command did. */
export interface StatementResult {
  n: number;
  modified: number;
  upserted?: { id: unknown };
}

/** What an update did; `first` is the first document it touched, for findAndModify and upserts. */
export interface UpdateResult {
  matched: number;
  modified: number;
  first?: Change;
}

/** What one document was and has become: `before` is absent where it is new, `after` where nothing changed. */
export interface Change {
  before?: Document;
  after?: Document;
}

const UPDATE_FIELDS = new Set([
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
const DELETE_FIELDS = new Set(['q', 'limit', 'collation', 'hint']);

function checkFields(statement: Document, known: ReadonlySet<string>, where: string): void {
  const unknown = Object.keys(statement).find((name) => !known.has(name));
  if (unknown) throw locationError(40415, `BSON field '${where}.${unknown}' is an unknown field.`);
}

/** One `{ q, u, … }` of an update command. */
export async function updateStatement(
  context: CommandContext,
  statement: Document,
): Promise<StatementResult> {
  checkFields(statement, UPDATE_FIELDS, 'update.updates');
  const { multi = false, upsert = false } = statement;
  const isOperators = Array.isArray(statement.u) || Object.keys(statement.u ?? {})[0]?.startsWith('$');
  if (multi && !isOperators)
    throw mongoError('FailedToParse', 'multi update is not supported for replacement-style update');
  if (multi && statement.sort) throw mongoError('FailedToParse', 'Cannot specify sort with multi=true');
  const result = await applyUpdate(context, statement, { multi: Boolean(multi), upsert: Boolean(upsert) });
  const { before, after } = result.first ?? {};
  const upserted = result.first && !before && after ? { upserted: { id: after._id } } : {};
  return { n: result.matched, modified: result.modified, ...upserted };
}

/** Updates what a statement (`q u sort collation arrayFilters hint`) finds. */
export async function applyUpdate(
  context: CommandContext,
  statement: Document,
  { multi, upsert }: { multi: boolean; upsert: boolean },
): Promise<UpdateResult> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  const query = statementQuery(context, statement, multi);
  const arrayFilters = 'arrayFilters' in statement ? arrayField(statement, 'arrayFilters') : undefined;
  if (arrayFilters && !arrayFilters.every(isDocument))
    throw mongoError('TypeMismatch', 'arrayFilters must hold objects');
  const updater = compileUpdate(statement.u, { ...query, ...(arrayFilters && { arrayFilters }) });
  const candidates = await prescan(context, catalog.find(namespace), query);
  return store.write(() => {
    const collection = upsert ? catalog.ensure(namespace) : catalog.find(namespace);
    const result: UpdateResult = { matched: 0, modified: 0 };
    if (!collection) return result;
    for (const found of targetsOf(collection, query, candidates)) {
      const change = updateOne(collection, found, updater);
      result.matched++;
      if (change.after) result.modified++;
      result.first ??= change;
    }
    if (result.matched > 0 || !upsert) return result;
    return { matched: 1, modified: 0, first: insertUpsert(collection, query.filter, updater) };
  });
}

function updateOne(
  collection: Collection,
  { record, raw, document }: FoundDocument,
  updater: Updater,
): Change {
  const before = decode(raw);
  const next = prepare(updater(document, false));
  if (next.raw.equals(raw)) return { before };
  collection.replace(record, before, next.document, next.raw);
  return { before, after: next.document };
}

function insertUpsert(collection: Collection, filter: Document, updater: Updater): Change {
  const { document, raw } = prepare(updater(upsertBase(filter), true));
  collection.insert(document, raw);
  return { after: document };
}

/** One `{ q, limit, … }` of a delete command. */
export async function deleteStatement(
  context: CommandContext,
  statement: Document,
): Promise<StatementResult> {
  checkFields(statement, DELETE_FIELDS, 'delete.deletes');
  const limit = Number(statement.limit);
  if (limit !== 0 && limit !== 1)
    throw mongoError(
      'FailedToParse',
      `The limit field in delete objects must be 0 or 1. Got ${statement.limit}`,
    );
  const { removed } = await applyDelete(context, statement, limit === 0);
  return { n: removed, modified: 0 };
}

/** Deletes what a statement (`q sort collation hint`) finds; `first` is the first document that went. */
export async function applyDelete(
  context: CommandContext,
  statement: Document,
  multi: boolean,
): Promise<{ removed: number; first?: Document }> {
  const { store, catalog } = context.engine;
  const collection = catalog.find(namespaceOf(context));
  const query = statementQuery(context, statement, multi);
  compileFilter(query.filter, query);
  const candidates = await prescan(context, collection, query);
  return store.write(() => {
    const result: { removed: number; first?: Document } = { removed: 0 };
    const current = catalog.find(namespaceOf(context));
    if (!current) return result;
    for (const { record, document } of targetsOf(current, query, candidates)) {
      current.remove(record, document);
      result.removed++;
      result.first ??= document;
    }
    return result;
  });
}

function statementQuery(context: CommandContext, statement: Document, multi: boolean): QueryOptions {
  const filter = statement.q;
  if (!isDocument(filter)) throw mongoError('TypeMismatch', 'the query of a write must be an object');
  return {
    ...matchContextOf(context.command, statement),
    filter,
    sort: statement.sort,
    limit: multi ? 0 : 1,
    hint: hintOf(statement, context.engine.catalog.find(namespaceOf(context))),
    deadline: deadlineOf(context.command),
  };
}

/**
 * Without a fitting index the matches are looked for before the write transaction, in slices that let other commands
 * go first; inside it they are only tested again. With an index, undefined: looking inside is quick.
 */
async function prescan(context: CommandContext, collection: Collection | undefined, query: QueryOptions) {
  if (!collection || planOf(collection, query).index) return undefined;
  const records: number[] = [];
  context.engine.store.refresh();
  for (const found of findDocuments(collection, query)) {
    if (found) records.push(found.record);
    else {
      await new Promise((resolve) => setImmediate(resolve));
      context.engine.store.refresh();
    }
  }
  return records;
}

/**
 * The documents to write to. Their records are all found before the first write: a document that an update moves in
 * an index must not be met again. They are tested anew, since `candidates` were found before this transaction.
 */
function* targetsOf(
  collection: Collection,
  query: QueryOptions,
  candidates: readonly number[] | undefined,
): Generator<FoundDocument> {
  const test = compileFilter(query.filter, query);
  let targets = 0;
  for (const record of candidates ?? recordsOf(collection, query)) {
    const raw = collection.read(record);
    const document = raw && decode(raw);
    if (!raw || !document || !test(document)) continue;
    targets++;
    yield { record, raw, document };
  }
  // The one document that was found has changed meanwhile, and another may match.
  if (candidates && targets === 0 && query.limit === 1) yield* targetsOf(collection, query, undefined);
}

function recordsOf(collection: Collection, query: QueryOptions): number[] {
  return [...findDocuments(collection, query)].flatMap((found) => (found ? [found.record] : []));
}
