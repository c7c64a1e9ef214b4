import type { Document } from 'bson';
import { demand, notImplemented } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { isDocument } from '../values/types.ts';
import { DOCUMENT_STAGES } from './document-stages.ts';
import { leadingQuery } from './leading-query.ts';
import {
  type CompiledPipeline,
  mapDocuments,
  type Stage,
  type StageCompiler,
  type StageContext,
  withPauses,
} from './stage.ts';
import { groupStage } from './stages/group.ts';
import { lookupStage } from './stages/lookup.ts';
import { countStage, limitStage, matchStage, skipStage, sortStage } from './stages/query-stages.ts';
import { unwindStage } from './stages/unwind.ts';

/** The stages that read several documents at a time; DOCUMENT_STAGES are the others. */
const STAGES: Record<string, StageCompiler> = {
  $match: matchStage,
  $sort: sortStage,
  $skip: skipStage,
  $limit: limitStage,
  $count: countStage,
  $group: groupStage,
  $unwind: unwindStage,
  $lookup: lookupStage,
};

/** MongoDB's default of internalPipelineLengthLimit. */
const MAX_STAGES = 1000;

/** MongoDB has these, too. */
const NOT_IMPLEMENTED = new Set(
  (
    '$bucket $bucketAuto $changeStream $changeStreamSplitLargeEvent $collStats $currentOp $densify $documents $facet $fill ' +
    '$geoNear $graphLookup $indexStats $listLocalSessions $listSampledQueries $listSearchIndexes $listSessions $merge $out ' +
    '$planCacheStats $querySettings $queryStats $redact $sample $search $searchMeta $setWindowFields $shardedDataDistribution $sortByCount ' +
    '$unionWith $vectorSearch'
  ).split(' '),
);

/**
 * A pipeline as a query, which does the stages at its beginning, and a function from documents to documents for the others.
 * @throws CommandError as MongoDB does for an unknown stage (40324) or a stage of the wrong shape
 */
export function compilePipeline(pipeline: readonly unknown[], context: StageContext): CompiledPipeline {
  demand(
    pipeline.length <= MAX_STAGES,
    7749501,
    `Pipeline length must be no longer than ${MAX_STAGES} stages`,
  );
  const stages = pipeline.map((stage, index) =>
    compileStage(stage, { ...context, isFirstStage: index === 0 }),
  );
  const { query, length } = leadingQuery(pipeline as Document[], context);
  const others = stages.slice(length);
  return {
    query,
    runRest: (documents) => others.reduce((before, stage) => withPauses(stage(before), context), documents),
  };
}

function compileStage(specification: unknown, context: StageContext): Stage {
  const [name, operand] = parseStage(specification);
  const step = lookUp(DOCUMENT_STAGES, name)?.(operand, context, name);
  if (step) {
    return (documents) => mapDocuments(documents, step);
  }
  const compile = lookUp(STAGES, name);
  if (!compile) {
    throw notImplemented(name);
  }
  return compile(operand, context, compilePipeline);
}

/** The name and the operand of a stage: a document with exactly one field (40323) that MongoDB knows (40324). */
export function parseStage(stage: unknown): [name: string, operand: unknown] {
  demand(isDocument(stage), 'TypeMismatch', "Each element of the 'pipeline' array must be an object");
  const [[name, operand] = ['', undefined], ...more] = Object.entries(stage);
  demand(name !== '' && more.length === 0, 40323, 'A pipeline stage must contain exactly one field.');
  const isKnown = lookUp(STAGES, name) || lookUp(DOCUMENT_STAGES, name) || NOT_IMPLEMENTED.has(name);
  demand(isKnown, 40324, `Unrecognized pipeline stage name: '${name}'`);
  return [name, operand];
}
