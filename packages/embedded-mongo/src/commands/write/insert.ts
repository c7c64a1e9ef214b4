import type { Document } from 'bson';
import { demand } from '../../base/errors.ts';
import type { Collection } from '../../storage/collection.ts';
import { prepareInsert } from '../../storage/storable.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import {
  BATCH_TYPES,
  batchOf,
  errorsField,
  type StatementResult,
  typedFields,
  writeError,
} from './statements.ts';

export const insertCommand: CommandDefinition = {
  fields: [...Object.keys(BATCH_TYPES), 'documents'],
  isWrite: true,
  run: insert,
};

async function insert(context: CommandContext): Promise<Document> {
  typedFields(context.command, 'insert', BATCH_TYPES);
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  const documents = batchOf(context, 'documents');
  demand(documents.every(Buffer.isBuffer), 'TypeMismatch', "'documents' must hold objects");
  const isOrdered = context.command.ordered !== false;
  const write = () =>
    store.write(() => insertAll(catalog.ensure(namespace), documents as Buffer[], isOrdered));
  return documents.length > 1 ? store.batches.take(write) : write();
}

function insertAll(collection: Collection, documents: readonly Buffer[], isOrdered: boolean): Document {
  const errors: Document[] = [];
  for (const [index, bytes] of documents.entries()) {
    try {
      const { document, raw } = prepareInsert(bytes);
      collection.insert(document, raw);
    } catch (error) {
      errors.push(writeError(index, error));
      if (isOrdered) {
        return { n: index, ...errorsField(errors) };
      }
    }
  }
  return { n: documents.length - errors.length, ...errorsField(errors) };
}

/** Inserts one document. Throws its error. */
export function insertStatement(context: CommandContext, bytes: Buffer): Promise<StatementResult> {
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  return store.write(() => {
    const { document, raw } = prepareInsert(bytes);
    catalog.ensure(namespace).insert(document, raw);
    return { n: 1 };
  });
}
