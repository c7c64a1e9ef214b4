import type { Document } from 'bson';
import { demand } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { parseStage } from '../pipeline/compile-pipeline.ts';
import { DOCUMENT_STAGES } from '../pipeline/document-stages.ts';
import { withTimes } from '../storage/storable.ts';
import { equalValues } from '../values/compare.ts';
import { boundPatterns } from '../values/match-context.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { compileArrayFilters } from './array-filters.ts';
import { immutableId, type UpdateContext, type Updater } from './field-change.ts';
import { compileModifiers } from './modifiers.ts';

/** True for an update that replaces the document: neither operators nor a pipeline. */
export function isReplacement(update: unknown): update is Document {
  return isDocument(update) && !Object.keys(update)[0]?.startsWith('$');
}

/**
 * An update as a function: operators, a replacement (which ignores array filters), or a pipeline.
 * @throws CommandError as MongoDB does: FailedToParse (9), ConflictingUpdateOperators (40), ImmutableField (66)…
 */
export function compileUpdate(update: unknown, context: UpdateContext): Updater {
  return boundPatterns(context, (own) => compile(update, own));
}

function compile(update: unknown, context: UpdateContext): Updater {
  const filters = compileArrayFilters(context.arrayFilters ?? [], context);
  if (isDocument(update) && !isReplacement(update)) {
    return compileModifiers(update, filters, context);
  }
  const isPipeline = Array.isArray(update);
  demand(isPipeline || isDocument(update), 'FailedToParse', 'an update must be an object or an array');
  demand(!isPipeline || filters.size === 0, 'FailedToParse', 'an update with a pipeline has no arrayFilters');
  const transform = isPipeline ? pipelineUpdate(update, context) : replacement(update);
  return (document, isInsert) => {
    const id = document._id;
    const after = transform(document, isInsert);
    const withId = id === MISSING || '_id' in after ? after : { _id: id, ...after };
    if (id !== MISSING && !equalValues(id, withId._id)) {
      throw immutableId(['_id']);
    }
    return { document: withId };
  };
}

/** A pipeline may contain only stages that turn one document into one document. */
function pipelineUpdate(pipeline: readonly unknown[], context: UpdateContext) {
  const steps = pipeline.map((stage) => {
    const [name, operand] = parseStage(stage);
    const compile = lookUp(DOCUMENT_STAGES, name);
    demand(compile, 'InvalidOptions', `${name} is not allowed to be used within an update`);
    return compile(operand, context, name);
  });
  return (document: Document) => steps.reduce((result, step) => step(result), document);
}

function replacement(update: Document) {
  const dollar = Object.keys(update).find((name) => name.startsWith('$'));
  return (_: Document, isInsert: boolean) => {
    demand(isInsert || !dollar, 'DollarPrefixedFieldName', `a replacement cannot have the field '${dollar}'`);
    return withTimes({ ...update });
  };
}
