import type { Document } from 'bson';
import { CommandError, locationError, mongoError } from '../base/errors.ts';
import { arrayField, type CommandContext, deadlineOf, hintOf, matchContextOf } from '../commands/command.ts';
import type { MatchContext } from '../matching/match-operators.ts';
import { compileFilter } from '../matching/matcher.ts';
import type { DocumentStream } from '../query/cursors.ts';
import { findDocuments, type QueryOptions } from '../query/query.ts';
import { SortBuffer, Sorter } from '../query/sort.ts';
import { bsonTypeName, encode, isDocument, lookUp } from '../values/values.ts';
import { Grouping } from './group.ts';
import { compileDocumentStage, DOCUMENT_STAGES } from './stages.ts';
import { lookupStage, unwindStage } from './stages-joining.ts';

/** The documents between two stages; undefined for a pause in which other commands go first. */
export type Documents = Iterable<Document | undefined>;

/** Turns the documents before a stage into those after it. */
export type Stage = (documents: Documents) => Documents;

export interface StageContext extends MatchContext {
  command: CommandContext;
}

/** Runs the pipeline of an `aggregate` command; what is at its beginning is done by the indexes. */
export function runAggregate(command: CommandContext): { namespace: string; stream: DocumentStream } {
  const target = command.command.aggregate;
  const pipeline = arrayField(command.command, 'pipeline').map(checkStage);
  if (typeof target !== 'string') {
    throw mongoError(
      'NotImplemented',
      'aggregate without a collection is not implemented by the embedded engine',
    );
  }
  const namespace = `${command.database}.${target}`;
  const context: StageContext = { ...matchContextOf(command.command), command };
  const collection = command.engine.catalog.find(namespace);
  const { options, rest } = queryOf(pipeline, context);
  const stages = rest.map((stage) => compileStage(stage, context));
  const extra = { hint: hintOf(command.command, collection), deadline: deadlineOf(command.command) };
  const found = collection ? findDocuments(collection, { ...options, ...extra }) : [];
  const documents = stages.reduce<Documents>(
    (before, stage) => stage(before),
    mapDocuments(found, ({ document }) => document),
  );
  return { namespace, stream: mapDocuments(documents, encode) };
}

function* mapDocuments<T, R>(items: Iterable<T | undefined>, map: (item: T) => R): Generator<R | undefined> {
  for (const item of items) yield item === undefined ? undefined : map(item);
}

function checkStage(stage: unknown): Document {
  if (!isDocument(stage))
    throw mongoError('TypeMismatch', "Each element of the 'pipeline' array must be an object");
  if (Object.keys(stage).length === 1) return stage;
  throw locationError(40323, 'A pipeline stage specification object must contain exactly one field.');
}

/** The stages at the beginning that a query does: $match, then $sort, then $skip, then $limit. */
function queryOf(
  pipeline: readonly Document[],
  context: StageContext,
): { options: QueryOptions; rest: Document[] } {
  const rest = [...pipeline];
  const options: QueryOptions = { ...context, filter: {} };
  if (isDocument(rest[0]?.$match)) options.filter = rest.shift()?.$match;
  if (isDocument(rest[0]?.$sort)) options.sort = rest.shift()?.$sort;
  if (rest[0] && '$skip' in rest[0]) options.skip = wholeNumber('$skip', rest.shift()?.$skip, 0);
  if (rest[0] && '$limit' in rest[0]) options.limit = wholeNumber('$limit', rest.shift()?.$limit, 1);
  return { options, rest };
}

function wholeNumber(name: string, value: unknown, least: number): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= least && typeof value !== 'string' && typeof value !== 'boolean')
    return number;
  throw locationError(
    name === '$limit' ? 15958 : 5107200,
    `invalid argument to ${name} stage: Expected ${least === 1 ? 'a positive' : 'a non-negative'} number, found ${bsonTypeName(value)}`,
  );
}

/** A pipeline inside another one ($lookup), on documents it is given. */
export function compilePipeline(pipeline: readonly unknown[], context: StageContext): Stage {
  const stages = pipeline.map((stage) => compileStage(checkStage(stage), context));
  return (documents) => stages.reduce((before, stage) => stage(before), documents);
}

function compileStage(specification: Document, context: StageContext): Stage {
  const [name = ''] = Object.keys(specification);
  const operand: unknown = specification[name];
  if (DOCUMENT_STAGES.has(name)) {
    const step = compileDocumentStage(name, operand, context);
    return (documents) => mapDocuments(documents, step);
  }
  const compile = lookUp(STAGES, name);
  if (compile) return compile(operand, context);
  throw new CommandError(40324, 'Location40324', `Unrecognized pipeline stage name: '${name}'`);
}

const STAGES: Record<string, (operand: unknown, context: StageContext) => Stage> = {
  $match: matchStage,
  $sort: sortStage,
  $skip: (operand) => sliceStage(wholeNumber('$skip', operand, 0), Infinity),
  $limit: (operand) => sliceStage(0, wholeNumber('$limit', operand, 1)),
  $count: countStage,
  $group: groupStage,
  $sortByCount: sortByCountStage,
  $unwind: (operand) => unwindStage(operand),
  $lookup: lookupStage,
};

function matchStage(operand: unknown, context: StageContext): Stage {
  if (!isDocument(operand)) throw locationError(15959, 'the match filter must be an expression in an object');
  const test = compileFilter(operand, context);
  return function* match(documents) {
    for (const document of documents) if (document === undefined || test(document)) yield document;
  };
}

function sortStage(operand: unknown, { collator }: StageContext): Stage {
  if (!isDocument(operand)) throw locationError(15973, 'the $sort key specification must be an object');
  if (Object.keys(operand).length === 0)
    throw locationError(15976, '$sort stage must have at least one sort key');
  return function* sort(documents) {
    const buffer = new SortBuffer<{ raw: Buffer; document: Document }>(
      new Sorter(operand, collator),
      Infinity,
    );
    for (const document of documents) {
      if (document) buffer.add({ raw: encode(document), document }, document);
      else yield undefined;
    }
    for (const { document } of buffer.sorted()) yield document;
  };
}

function sliceStage(skip: number, limit: number): Stage {
  return function* slice(documents) {
    let position = 0;
    for (const document of documents) {
      if (document === undefined) yield undefined;
      else if (++position > skip) yield document;
      if (position >= skip + limit) return;
    }
  };
}

function countStage(operand: unknown): Stage {
  if (typeof operand !== 'string' || operand === '' || /[$.\0]/.test(operand)) {
    throw locationError(40156, 'the count field must be a non-empty string without $ and .');
  }
  return function* count(documents) {
    let total = 0;
    for (const document of documents) {
      if (document) total++;
      else yield undefined;
    }
    if (total > 0) yield { [operand]: total };
  };
}

function groupStage(operand: unknown, context: StageContext): Stage {
  return function* group(documents) {
    const grouping = new Grouping(operand, context);
    for (const document of documents) {
      if (document) grouping.add(document);
      else yield undefined;
    }
    yield* grouping.results();
  };
}

function sortByCountStage(operand: unknown, context: StageContext): Stage {
  return compilePipeline(
    [{ $group: { _id: operand, count: { $sum: 1 } } }, { $sort: { count: -1 } }],
    context,
  );
}
