import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { withTimes } from '../storage/storable.ts';
import { equalValues } from '../values/compare.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { compileArrayFilters } from './array-filters.ts';
import { immutableId } from './field-change.ts';
import { compileModifiers } from './modifiers.ts';
import { compilePipelineUpdate } from './pipeline-update.ts';
import type { UpdateContext, Updater } from './updater.ts';

/** True for an update that replaces the document: neither operators nor a pipeline. */
export function isReplacement(update: unknown): update is Document {
  return isDocument(update) && !Object.keys(update)[0]?.startsWith('$');
}

/**
 * An update as a function: operators, a replacement, or a pipeline.
 * @throws CommandError as MongoDB does: FailedToParse (9), ConflictingUpdateOperators (40), ImmutableField (66)…
 */
export function compileUpdate(update: unknown, context: UpdateContext): Updater {
  const filters = compileArrayFilters(context.arrayFilters ?? [], context);
  if (isDocument(update) && !isReplacement(update)) {
    return compileModifiers(update, filters, context);
  }
  if (!isDocument(update) && !Array.isArray(update)) {
    throw mongoError('FailedToParse', 'Update argument must be either an object or an array');
  }
  // A replacement ignores them.
  if (Array.isArray(update) && filters.size > 0) {
    throw mongoError('FailedToParse', 'arrayFilters may not be specified for pipeline-style updates');
  }
  const transform = Array.isArray(update) ? compilePipelineUpdate(update, context) : () => ({ ...update });
  return (document, isInsert) => {
    const id = document._id;
    const after = transform(document);
    if (!isInsert && !Array.isArray(update)) {
      refuseDollars(after);
    }
    const withId = id === MISSING || '_id' in after ? after : { _id: id, ...after };
    if (id !== MISSING && !equalValues(id, withId._id)) {
      throw immutableId(['_id']);
    }
    return { document: Array.isArray(update) ? withId : withTimes(withId) };
  };
}

function refuseDollars(replacement: Document): void {
  const dollar = Object.keys(replacement).find((name) => name.startsWith('$'));
  if (dollar) {
    const where = "is not allowed in the context of an update's replacement document.";
    const advice = 'Consider using an aggregation pipeline with $replaceWith.';
    const message = `The dollar ($) prefixed field '${dollar}' in '${dollar}' ${where} ${advice}`;
    throw mongoError('DollarPrefixedFieldName', message);
  }
}
