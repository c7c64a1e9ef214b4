import type { Document } from 'bson';
import { demand } from '../../base/errors.ts';
import { SLICE_MILLIS } from '../../base/limits.ts';
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
  const batch: Batch = { documents: documents as Buffer[], isOrdered, next: 0, inserted: 0, errors: [] };
  const write = () => store.write(() => insertSlice(catalog.ensure(namespace), batch));
  while (batch.next < documents.length) {
    await (documents.length > 1 ? store.batches.take(documents.length, write) : write());
  }
  return { n: batch.inserted, ...errorsField(batch.errors) };
}

/** The documents of one command, and what has become of those before `next`. */
interface Batch {
  documents: readonly Buffer[];
  isOrdered: boolean;
  next: number;
  inserted: number;
  errors: Document[];
}

/** Inserts documents until the slice is over. Each slice is a transaction, as on MongoDB: a kill may leave the first ones. */
function insertSlice(collection: Collection, batch: Batch): void {
  const end = performance.now() + SLICE_MILLIS;
  while (batch.next < batch.documents.length) {
    const index = batch.next++;
    try {
      const { document, raw } = prepareInsert(batch.documents[index] as Buffer);
      collection.insert(document, raw);
      batch.inserted++;
    } catch (error) {
      batch.errors.push(writeError(index, error));
      if (batch.isOrdered) {
        batch.next = batch.documents.length;
      }
    }
    if (performance.now() >= end) {
      return;
    }
  }
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
