import type { Document } from 'bson';
import { locationError, mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { isDocument } from '../values/types.ts';
import { compileDocumentStage, DOCUMENT_STAGES } from './document-stages.ts';
import { mapDocuments, type Stage, type StageCompiler, type StageContext } from './stage.ts';
import { countStage } from './stages/count.ts';
import { groupStage } from './stages/group.ts';
import { lookupStage } from './stages/lookup.ts';
import { matchStage } from './stages/match.ts';
import { limitStage, skipStage } from './stages/slice.ts';
import { sortStage } from './stages/sort.ts';
import { sortByCountStage } from './stages/sort-by-count.ts';
import { unwindStage } from './stages/unwind.ts';

/** The stages that read several documents at a time; DOCUMENT_STAGES are the others. */
const STAGES: Record<string, StageCompiler> = {
  $match: matchStage,
  $sort: sortStage,
  $skip: skipStage,
  $limit: limitStage,
  $count: countStage,
  $group: groupStage,
  $sortByCount: sortByCountStage,
  $unwind: unwindStage,
  $lookup: lookupStage,
};

/**
 * A pipeline as a function from documents to documents.
 * @throws CommandError as MongoDB does for an unknown stage (40324) or a stage of the wrong shape
 */
export function compilePipeline(pipeline: readonly unknown[], context: StageContext): Stage {
  const stages = pipeline.map((stage) => compileStage(checkStage(stage), context));
  return (documents) => stages.reduce((before, stage) => stage(before), documents);
}

/** A stage is a document with exactly one field (40323). */
export function checkStage(stage: unknown): Document {
  if (!isDocument(stage)) {
    throw mongoError('TypeMismatch', "Each element of the 'pipeline' array must be an object");
  }
  if (Object.keys(stage).length === 1) {
    return stage;
  }
  throw locationError(40323, 'A pipeline stage specification object must contain exactly one field.');
}

function compileStage(specification: Document, context: StageContext): Stage {
  const [name = ''] = Object.keys(specification);
  const operand: unknown = specification[name];
  if (DOCUMENT_STAGES.has(name)) {
    const step = compileDocumentStage(name, operand, context);
    return (documents) => mapDocuments(documents, step);
  }
  const compile = lookUp(STAGES, name);
  if (compile) {
    return compile(operand, context, compilePipeline);
  }
  throw locationError(40324, `Unrecognized pipeline stage name: '${name}'`);
}
