import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { checkStage, compilePipeline } from '../../pipeline/compile-pipeline.ts';
import { splitLeadingQuery } from '../../pipeline/leading-query.ts';
import { mapDocuments, type StageContext } from '../../pipeline/stage.ts';
import { findDocuments } from '../../query/find-documents.ts';
import { encode } from '../../values/bson-codec.ts';
import { type CommandContext, type CommandDefinition, namespaceOf } from '../support/command.ts';
import { arrayField, countField, documentField } from '../support/fields.ts';
import { deadlineOf, hintOf, matchContextOf, QUERY_FIELDS } from '../support/query-options.ts';
import { explainReply, queryPlanner } from '../support/query-plan.ts';
import { firstBatch } from '../support/replies.ts';

export const aggregateCommand: CommandDefinition = {
  fields: [...QUERY_FIELDS, 'pipeline', 'cursor', 'explain', 'bypassDocumentValidation'],
  run: aggregate,
};

function aggregate(context: CommandContext): Promise<Document> | Document {
  const { command } = context;
  const cursor = documentField(command, 'cursor');
  if (command.explain) {
    return explainPipeline(context);
  }
  if (!('cursor' in command)) {
    throw mongoError(
      'FailedToParse',
      "The 'cursor' option is required, except for aggregate with the explain argument",
    );
  }
  const { collection, query, runRest } = preparePipeline(context);
  const found = collection ? findDocuments(collection, query) : [];
  const stream = mapDocuments(runRest(mapDocuments(found, ({ document }) => document)), encode);
  return firstBatch(context, namespaceOf(context), stream, countField(cursor, 'batchSize'), false);
}

/** The plan of the query at the beginning, and the stages after it as the client wrote them. */
function explainPipeline(context: CommandContext): Document {
  const { query, rest } = preparePipeline(context);
  const plan = { queryPlanner: queryPlanner(context, query) };
  const stages = rest.length > 0 ? { stages: [{ $cursor: plan }, ...rest] } : plan;
  return { explainVersion: '1', ...stages, ...explainReply(context) };
}

/** Compiles the pipeline. A query does the stages at its beginning, so that indexes serve them. */
function preparePipeline({ command, database, engine }: CommandContext) {
  const target = command.aggregate;
  const pipeline = arrayField(command, 'pipeline').map(checkStage);
  if (typeof target !== 'string') {
    throw mongoError(
      'NotImplemented',
      'aggregate without a collection is not implemented by the embedded engine',
    );
  }
  const findCollection = (name: string) => engine.catalog.find(`${database}.${name}`);
  const context: StageContext = { ...matchContextOf(command), findCollection };
  const collection = findCollection(target);
  const { options, rest } = splitLeadingQuery(pipeline, context);
  const runRest = compilePipeline(rest, context);
  const query = { ...options, hint: hintOf(command, collection), deadline: deadlineOf(command) };
  return { collection, query, rest, runRest };
}
