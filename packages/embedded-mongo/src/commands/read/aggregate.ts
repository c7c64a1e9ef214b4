import type { Document } from 'bson';
import { locationError, mongoError, notImplemented } from '../../base/errors.ts';
import { MAX_BSON_BYTES } from '../../base/limits.ts';
import { compilePipeline } from '../../pipeline/compile-pipeline.ts';
import { mapDocuments, type StageContext } from '../../pipeline/stage.ts';
import { wholeCount } from '../../pipeline/whole-count.ts';
import { findDocuments } from '../../query/find-documents.ts';
import type { Collection } from '../../storage/collection.ts';
import { encode } from '../../values/bson-codec.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { arrayField, countField, documentField } from '../support/fields.ts';
import { deadlineOf, hintOf, matchContextOf, QUERY_FIELDS } from '../support/query-options.ts';
import { firstBatch } from '../support/replies.ts';

export const aggregateCommand: CommandDefinition = {
  fields: [...QUERY_FIELDS, 'pipeline', 'cursor', 'explain', 'bypassDocumentValidation'],
  run: aggregate,
};

function aggregate(context: CommandContext): Promise<Document> {
  const { command } = context;
  const cursor = documentField(command, 'cursor');
  if (command.explain) {
    throw notImplemented('explain of aggregate');
  }
  if (!('cursor' in command)) {
    throw mongoError('FailedToParse', "The 'cursor' option is required");
  }
  const stream = mapDocuments(results(preparePipeline(context)), encodeResult);
  return firstBatch(context, namespaceOf(context), stream, countField(cursor, 'batchSize'), false);
}

function results({ collection, query, runRest, groupOfAll }: ReturnType<typeof preparePipeline>) {
  if (collection && groupOfAll && query.hint === undefined) {
    return counted(collection, groupOfAll);
  }
  const found = collection ? findDocuments(collection, query) : [];
  return runRest(mapDocuments(found, ({ document }) => document));
}

/** The group of all documents. There is none without a document. */
function* counted(collection: Collection, groupOf: (count: number) => Document): Generator<Document> {
  const count = collection.count();
  if (count > 0) {
    yield groupOf(count);
  }
}

/** Compiles the pipeline and finds its collection. */
function preparePipeline({ command, database, engine }: CommandContext) {
  const target = command.aggregate;
  if (!('pipeline' in command)) {
    throw locationError(40414, "BSON field 'aggregate.pipeline' is missing but a required field");
  }
  const pipeline = arrayField(command, 'pipeline');
  if (typeof target !== 'string') {
    throw notImplemented('aggregate: 1');
  }
  const findCollection = (name: string) => engine.catalog.find(`${database}.${name}`);
  const deadline = deadlineOf(command);
  const context: StageContext = { ...matchContextOf(command), findCollection, deadline };
  const { query, runRest } = compilePipeline(pipeline, context);
  const collection = findCollection(target);
  const groupOfAll = wholeCount(pipeline as Document[]);
  return { collection, query: { ...query, hint: hintOf(command, collection) }, runRest, groupOfAll };
}

function encodeResult(document: Document): Buffer {
  const raw = encode(document);
  if (raw.length > MAX_BSON_BYTES) {
    throw mongoError('BSONObjectTooLarge', `BSONObj size: ${raw.length} is above ${MAX_BSON_BYTES}`);
  }
  return raw;
}
