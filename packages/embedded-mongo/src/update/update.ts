import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { equalValues } from '../values/compare.ts';
import { display } from '../values/display.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { compileModifiers } from './modifiers.ts';
import { compilePipelineUpdate } from './pipeline-update.ts';
import type { UpdateContext, Updater } from './updater.ts';

/**
 * An update as a function: operators, a replacement, or a pipeline.
 * @throws CommandError as MongoDB does: FailedToParse (9), ConflictingUpdateOperators (40), ImmutableField (66)…
 */
export function compileUpdate(update: unknown, context: UpdateContext): Updater {
  const updater = compileKind(update, context);
  return (document, isInsert) => {
    const id = document._id;
    const after = updater(document, isInsert);
    if (id === MISSING || equalValues(id, after._id)) {
      return after;
    }
    throw mongoError(
      'ImmutableField',
      `Performing an update on the path '_id' would modify the immutable field '_id'`,
    );
  };
}

function compileKind(update: unknown, context: UpdateContext): Updater {
  if (Array.isArray(update)) {
    if (context.arrayFilters) {
      throw mongoError('FailedToParse', 'arrayFilters may not be specified for pipeline-syle updates');
    }
    return compilePipelineUpdate(update, context);
  }
  if (!isDocument(update)) {
    throw mongoError('FailedToParse', 'Update argument must be either an object or an array');
  }
  const isModifier = Object.keys(update)[0]?.startsWith('$') === true;
  return isModifier ? compileModifiers(update, context) : compileReplacement(update, context);
}

function compileReplacement(replacement: Document, context: UpdateContext): Updater {
  if (context.arrayFilters) {
    throw mongoError('FailedToParse', 'arrayFilters may not be specified for replacement-style updates');
  }
  const dollar = Object.keys(replacement).find((name) => name.startsWith('$'));
  if (dollar) {
    const where = "is not allowed in the context of an update's replacement document.";
    const advice = 'Consider using an aggregation pipeline with $replaceWith.';
    throw mongoError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${dollar}' in '${dollar}' ${where} ${advice}`,
    );
  }
  return (document) => {
    const id = document._id === MISSING ? replacement._id : document._id;
    if ('_id' in replacement && !equalValues(id, replacement._id)) {
      const message = `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${display(replacement._id)}`;
      throw mongoError('ImmutableField', message);
    }
    return id === MISSING ? { ...replacement } : { _id: id, ...replacement };
  };
}
