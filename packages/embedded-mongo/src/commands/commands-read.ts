import { type Document, Long } from 'bson';
import { mongoError } from '../base/errors.ts';
import { runAggregate } from '../pipeline/aggregate.ts';
import { Cursor, type DocumentStream } from '../query/cursors.ts';
import { compileProjection, type Projector } from '../query/projection.ts';
import { type FoundDocument, findDocuments, type QueryOptions } from '../query/query.ts';
import { equalValues } from '../values/compare.ts';
import { encodeKey } from '../values/key-encoding.ts';
import { valuesAt } from '../values/paths.ts';
import { encode, MISSING } from '../values/values.ts';
import { RawBatch } from '../wire/wire.ts';
import {
  arrayField,
  type CommandContext,
  type CommandDefinition,
  countField,
  deadlineOf,
  documentField,
  hintOf,
  matchContextOf,
  namespaceOf,
} from './command.ts';

const FIRST_BATCH = 101;

const QUERY_FIELDS = ['hint', 'collation', 'let', 'allowDiskUse'];

export const READ_COMMANDS: Record<string, CommandDefinition> = {
  find: {
    fields: [
      ...QUERY_FIELDS,
      'filter',
      'projection',
      'sort',
      'skip',
      'limit',
      'batchSize',
      'singleBatch',
      'noCursorTimeout',
      'allowPartialResults',
    ],
    run: find,
  },
  getMore: { fields: ['collection', 'batchSize'], run: getMore },
  killCursors: { fields: ['cursors'], run: killCursors },
  count: { fields: [...QUERY_FIELDS, 'query', 'limit', 'skip', 'fields'], run: count },
  distinct: { fields: [...QUERY_FIELDS, 'key', 'query'], run: distinct },
  aggregate: {
    fields: [...QUERY_FIELDS, 'pipeline', 'cursor', 'explain', 'bypassDocumentValidation'],
    run: aggregate,
  },
};

/** The options of a query command; its filter is in the field given. */
function queryOptionsOf(context: CommandContext, filterField: string): QueryOptions {
  const { command, engine } = context;
  const collection = engine.catalog.find(namespaceOf(context));
  return {
    ...matchContextOf(command),
    filter: documentField(command, filterField),
    sort: documentField(command, 'sort'),
    skip: countField(command, 'skip'),
    limit: countField(command, 'limit'),
    hint: hintOf(command, collection),
    deadline: deadlineOf(command),
  };
}

function find(context: CommandContext): Promise<Document> {
  const { command, engine } = context;
  const namespace = namespaceOf(context);
  const options = queryOptionsOf(context, 'filter');
  const project = compileProjection(documentField(command, 'projection'), options);
  const collection = engine.catalog.find(namespace);
  const stream = collection ? projected(findDocuments(collection, options), project) : [][Symbol.iterator]();
  return firstBatch(
    context,
    namespace,
    stream,
    countField(command, 'batchSize'),
    command.singleBatch === true,
  );
}

function* projected(found: Iterable<FoundDocument | undefined>, project: Projector | undefined) {
  for (const each of found) yield each && (project ? encode(project(each.document)) : each.raw);
}

/** Opens a cursor on a stream and answers its first batch. */
async function firstBatch(
  { engine }: CommandContext,
  namespace: string,
  stream: DocumentStream,
  batchSize: number | undefined,
  isSingle: boolean,
): Promise<Document> {
  const cursor = new Cursor(namespace, stream, () => engine.store.refresh());
  const documents = await cursor.next(batchSize ?? FIRST_BATCH);
  const isDone = cursor.isExhausted || isSingle;
  if (isDone) cursor.close();
  const id = isDone ? Long.ZERO : engine.cursors.add(cursor);
  return { cursor: { firstBatch: new RawBatch(documents), id, ns: namespace } };
}

async function getMore({ command, database, engine }: CommandContext): Promise<Document> {
  const namespace = `${database}.${command.collection}`;
  const id = command.getMore;
  const cursor = engine.cursors.get(id, namespace);
  const batchSize = countField(command, 'batchSize');
  const documents = await cursor.next(batchSize || Infinity);
  if (cursor.isExhausted) engine.cursors.kill(id);
  return {
    cursor: { nextBatch: new RawBatch(documents), id: cursor.isExhausted ? Long.ZERO : id, ns: namespace },
  };
}

function killCursors({ command, engine }: CommandContext): Document {
  const ids = arrayField(command, 'cursors');
  const cursorsKilled = ids.filter((id) => engine.cursors.kill(id));
  const cursorsNotFound = ids.filter((id) => !cursorsKilled.includes(id));
  return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
}

async function count(context: CommandContext): Promise<Document> {
  const { engine } = context;
  const collection = engine.catalog.find(namespaceOf(context));
  const options = queryOptionsOf(context, 'query');
  if (!collection) return { n: 0 };
  engine.store.refresh();
  if (Object.keys(options.filter).length > 0)
    return { n: await drain(context, findDocuments(collection, options), () => {}) };
  const all = Math.max(collection.count() - (options.skip ?? 0), 0);
  return { n: options.limit ? Math.min(all, options.limit) : all };
}

/** Runs through a query, letting other commands in between; answers how many documents there were. */
async function drain(
  { engine }: CommandContext,
  found: Iterable<FoundDocument | undefined>,
  use: (document: Document) => void,
): Promise<number> {
  let total = 0;
  for (const each of found) {
    if (each) {
      total++;
      use(each.document);
      continue;
    }
    await new Promise((resolve) => setImmediate(resolve));
    engine.store.refresh();
  }
  return total;
}

async function distinct(context: CommandContext): Promise<Document> {
  const { command, engine } = context;
  const key = command.key;
  if (typeof key !== 'string')
    throw mongoError('TypeMismatch', "BSON field 'distinct.key' is the wrong type, expected type 'string'");
  const collection = engine.catalog.find(namespaceOf(context));
  const options = queryOptionsOf(context, 'query');
  const values = new Map<string, unknown>();
  const collect = (document: Document) => {
    for (const value of distinctValues(document, key.split('.'))) {
      const known =
        options.collator && [...values.values()].some((each) => equalValues(each, value, options.collator));
      if (!known) values.set(encodeKey(value).toString('latin1'), value);
    }
  };
  engine.store.refresh();
  if (collection) await drain(context, findDocuments(collection, options), collect);
  return { values: [...values].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value) };
}

/** The values at a path, of an array its elements instead. */
function distinctValues(document: Document, parts: string[]): unknown[] {
  const values = [...valuesAt(document, parts, false)].filter((value) => value !== MISSING);
  return values.flatMap((value) => (Array.isArray(value) ? value : [value]));
}

function aggregate(context: CommandContext): Promise<Document> {
  const { command } = context;
  const cursor = documentField(command, 'cursor');
  if (command.explain)
    throw mongoError('NotImplemented', 'explain is not implemented by the embedded engine');
  if (!('cursor' in command))
    throw mongoError(
      'FailedToParse',
      "The 'cursor' option is required, except for aggregate with the explain argument",
    );
  const { namespace, stream } = runAggregate(context);
  return firstBatch(context, namespace, stream, countField(cursor, 'batchSize'), false);
}
