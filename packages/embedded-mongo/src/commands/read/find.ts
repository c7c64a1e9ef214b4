import type { Document } from 'bson';
import { type FoundDocument, findDocuments } from '../../query/find-documents.ts';
import { compileProjection, type Projector } from '../../query/projection.ts';
import { encode } from '../../values/bson-codec.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { countField, documentField } from '../support/fields.ts';
import { checkQuery, QUERY_FIELDS, queryOptionsOf, REFUSED_FIELDS } from '../support/query-options.ts';
import { firstBatch } from '../support/replies.ts';

export const findCommand: CommandDefinition = {
  fields: [
    ...[...QUERY_FIELDS, ...REFUSED_FIELDS, 'filter', 'projection', 'sort', 'skip', 'limit'],
    ...['batchSize', 'singleBatch', 'noCursorTimeout', 'allowPartialResults'],
  ],
  run: find,
};

function find(context: CommandContext): Promise<Document> {
  const { command, engine } = context;
  const namespace = namespaceOf(context);
  const options = queryOptionsOf(context, 'filter');
  const project = compileProjection(documentField(command, 'projection'), options);
  const collection = engine.catalog.find(namespace);
  if (!collection) {
    checkQuery(options);
  }
  const stream = collection ? projected(findDocuments(collection, options), project) : [][Symbol.iterator]();
  const batchSize = countField(command, 'batchSize', 'query');
  return firstBatch(context, namespace, stream, batchSize, command.singleBatch === true);
}

function* projected(found: Iterable<FoundDocument | undefined>, project: Projector | undefined) {
  for (const each of found) {
    yield each && (project ? encode(project(each.document)) : each.raw);
  }
}
