import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import type { Collection } from '../../storage/collection.ts';
import { prepareInsert } from '../../storage/storable.ts';
import { bsonTypeName } from '../../values/type-names.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { BATCH_TYPES, typedFields } from './field-types.ts';
import { batchOf, errorsField, writeError } from './statements.ts';

export const insertCommand: CommandDefinition = {
  fields: [...Object.keys(BATCH_TYPES), 'documents'],
  isWrite: true,
  run: insert,
};

async function insert(context: CommandContext): Promise<Document> {
  typedFields(context.command, 'insert', BATCH_TYPES);
  const { store, catalog } = context.engine;
  const namespace = namespaceOf(context);
  const documents = batchOf(context, 'documents').map(checkRaw);
  const isOrdered = context.command.ordered !== false;
  return store.write(() => insertAll(catalog.ensure(namespace), documents, isOrdered));
}

function checkRaw(document: unknown): Buffer {
  if (Buffer.isBuffer(document)) {
    return document;
  }
  throw mongoError('TypeMismatch', `'documents' must hold objects, not ${bsonTypeName(document)}`);
}

function insertAll(collection: Collection, documents: readonly Buffer[], isOrdered: boolean): Document {
  const errors: Document[] = [];
  let n = 0;
  for (const [index, bytes] of documents.entries()) {
    try {
      const { document, raw } = prepareInsert(bytes);
      collection.insert(document, raw);
      n++;
    } catch (error) {
      errors.push(writeError(index, error));
      if (isOrdered) {
        break;
      }
    }
  }
  return { n, ...errorsField(errors) };
}
