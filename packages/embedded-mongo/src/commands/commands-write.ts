import type { Document } from 'bson';
import { CommandError, mongoError } from '../base/errors.ts';
import type { Collection } from '../storage/collection.ts';
import { deleteStatement, type StatementResult, updateStatement } from '../update/write-statements.ts';
import { prepareInsert } from '../values/documents.ts';
import { bsonTypeName, isDocument } from '../values/values.ts';
import { arrayField, type CommandContext, type CommandDefinition, namespaceOf } from './command.ts';

const MAX_WRITE_BATCH = 100_000;
const BATCH_FIELDS = ['ordered', 'bypassDocumentValidation', 'let'];

export const WRITE_COMMANDS: Record<string, CommandDefinition> = {
  insert: { fields: [...BATCH_FIELDS, 'documents'], isWrite: true, run: insert },
  update: { fields: [...BATCH_FIELDS, 'updates'], isWrite: true, run: update },
  delete: { fields: [...BATCH_FIELDS, 'deletes'], isWrite: true, run: remove },
};

async function insert(context: CommandContext): Promise<Document> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  const documents = batch(context, 'documents').map(checkRaw);
  return store.write(() => {
    const collection = catalog.ensure(namespace);
    const { results, writeErrors } = runBatch(context, documents, (raw) => insertOne(collection, raw));
    return { n: results.length, ...writeErrors };
  });
}

function checkRaw(document: unknown): Buffer {
  if (Buffer.isBuffer(document)) return document;
  throw mongoError('TypeMismatch', `'documents' must hold objects, not ${bsonTypeName(document)}`);
}

function insertOne(collection: Collection, raw: Buffer): void {
  const prepared = prepareInsert(raw);
  collection.insert(prepared.document, prepared.raw);
}

async function update(context: CommandContext): Promise<Document> {
  const { results, writeErrors } = await runStatements(context, 'updates', updateStatement);
  const upserted = results.flatMap(({ index, upserted }) => (upserted ? [{ index, _id: upserted.id }] : []));
  return {
    n: sum(results, (result) => result.n),
    nModified: sum(results, (result) => result.modified),
    ...(upserted.length > 0 && { upserted }),
    ...writeErrors,
  };
}

async function remove(context: CommandContext): Promise<Document> {
  const { results, writeErrors } = await runStatements(context, 'deletes', deleteStatement);
  return { n: sum(results, (result) => result.n), ...writeErrors };
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function batch({ command }: CommandContext, field: string): unknown[] {
  const statements = arrayField(command, field);
  if (statements.length >= 1 && statements.length <= MAX_WRITE_BATCH) return statements;
  const message = `Write batch sizes must be between 1 and ${MAX_WRITE_BATCH}. Got ${statements.length} operations.`;
  throw mongoError('InvalidLength', message);
}

/** Statements of an unordered batch that run at a time: they share commits, each of which costs far more than they do. */
const UNORDERED_AT_ONCE = 100;

/** Statements, each with its error; an ordered batch runs them one after the other and ends with the first error. */
async function runStatements(
  context: CommandContext,
  field: string,
  run: (context: CommandContext, statement: Document) => Promise<StatementResult>,
) {
  const results: (StatementResult & { index: number })[] = [];
  const errors: Document[] = [];
  const runOne = async ([index, statement]: [number, unknown]) => {
    try {
      if (!isDocument(statement))
        throw mongoError('TypeMismatch', `'${field}' must hold objects, not ${bsonTypeName(statement)}`);
      results.push({ index, ...(await run(context, statement)) });
    } catch (error) {
      errors.push(writeError(index, error));
    }
  };
  const isOrdered = context.command.ordered !== false;
  const atOnce = isOrdered ? 1 : UNORDERED_AT_ONCE;
  const statements = [...batch(context, field).entries()];
  for (let next = 0; next < statements.length && !(isOrdered && errors.length > 0); next += atOnce) {
    await Promise.all(statements.slice(next, next + atOnce).map(runOne));
  }
  const inOrder = (a: Document, b: Document) => a.index - b.index;
  return {
    results: results.sort(inOrder),
    writeErrors: errors.length > 0 ? { writeErrors: errors.sort(inOrder) } : {},
  };
}

function runBatch<T, R>({ command }: CommandContext, items: readonly T[], run: (item: T) => R) {
  const results: R[] = [];
  const errors: Document[] = [];
  for (const [index, item] of items.entries()) {
    try {
      results.push(run(item));
    } catch (error) {
      errors.push(writeError(index, error));
      if (command.ordered !== false) break;
    }
  }
  return { results, writeErrors: errors.length > 0 ? { writeErrors: errors } : {} };
}

function writeError(index: number, error: unknown): Document {
  if (!(error instanceof CommandError)) throw error;
  return { index, code: error.code, errmsg: error.message, ...error.extra };
}
