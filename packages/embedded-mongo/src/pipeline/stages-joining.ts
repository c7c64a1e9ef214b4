import type { Document } from 'bson';
import { locationError, mongoError } from '../base/errors.ts';
import { checkExpression, evaluator } from '../expressions/expressions.ts';
import { findDocuments } from '../query/query.ts';
import { valuesAt } from '../values/paths.ts';
import { getPath, setPath, unsetPath } from '../values/update-paths.ts';
import { isDocument, MISSING } from '../values/values.ts';
import { compilePipeline, type Stage, type StageContext } from './aggregate.ts';

/** `$unwind`: a document for each element of an array. */
export function unwindStage(operand: unknown): Stage {
  const {
    path,
    includeArrayIndex,
    preserveNullAndEmptyArrays = false,
  } = isDocument(operand) ? operand : { path: operand };
  if (typeof path !== 'string' || !path.startsWith('$')) {
    throw locationError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  }
  const parts = path.slice(1).split('.');
  const numbered = (document: Document, index: number | null) => {
    if (includeArrayIndex) setPath(document, String(includeArrayIndex).split('.'), index);
    return document;
  };
  return function* unwind(documents) {
    for (const document of documents) {
      const value = document === undefined ? MISSING : getPath(document, parts);
      if (document === undefined) yield undefined;
      else if (Array.isArray(value) && value.length > 0) {
        for (const [i, item] of value.entries()) yield numbered(replaced(document, parts, item), i);
      } else if (!isEmpty(value)) yield numbered(replaced(document, parts, value), null);
      else if (preserveNullAndEmptyArrays)
        yield numbered(Array.isArray(value) ? without(document, parts) : { ...document }, null);
    }
  };
}

function isEmpty(value: unknown): boolean {
  return value === null || value === MISSING || Array.isArray(value);
}

/** The document with another value at a path, sharing everything beside the path. */
function replaced(document: Document, [first = '', ...rest]: readonly string[], value: unknown): Document {
  const inner = rest.length === 0 ? value : replaced(document[first], rest, value);
  return { ...document, [first]: inner };
}

function without(document: Document, parts: readonly string[]): Document {
  const result = replaced(document, parts, null);
  unsetPath(result, parts);
  return result;
}

/** `$lookup` by equality of two fields, by a pipeline, or by both. */
export function lookupStage(operand: unknown, context: StageContext): Stage {
  if (!isDocument(operand)) throw mongoError('FailedToParse', 'the $lookup specification must be an Object');
  const { from, as, localField, foreignField, let: variables = {}, pipeline = [], ...unknown } = operand;
  const [extra] = Object.keys(unknown);
  if (extra) throw mongoError('FailedToParse', `unknown argument to $lookup: ${extra}`);
  if (
    typeof from !== 'string' ||
    typeof as !== 'string' ||
    (localField === undefined) !== (foreignField === undefined)
  ) {
    throw mongoError(
      'FailedToParse',
      '$lookup requires from and as, and both or neither of localField and foreignField',
    );
  }
  checkExpression(variables);
  compilePipeline(pipeline, context);
  return function* lookup(documents) {
    for (const document of documents) {
      if (document === undefined) yield undefined;
      else yield { ...document, [as]: [...foreign(document)] };
    }
  };

  function* foreign(document: Document): Generator<Document> {
    const { engine, database } = context.command;
    const collection = engine.catalog.find(`${database}.${from}`);
    if (!collection) return;
    const filter = localField === undefined ? {} : equalityOf(document, localField, foreignField);
    const found = (function* matches() {
      for (const each of findDocuments(collection, { ...context, filter })) if (each) yield each.document;
    })();
    const named =
      Object.keys(variables).length > 0 ? (evaluator(context)(document, variables) as Document) : {};
    const run = compilePipeline(pipeline, { ...context, variables: { ...context.variables, ...named } });
    for (const each of run(found)) if (each) yield each;
  }
}

/** A missing or null local field joins null and missing ones, an array each of its elements. */
function equalityOf(document: Document, localField: string, foreignField: string): Document {
  const values = [...valuesAt(document, localField.split('.'), true)].filter(
    (value) => !Array.isArray(value),
  );
  const wanted = values.length === 0 ? [null] : values.map((value) => value ?? null);
  return { [foreignField]: { $in: wanted } };
}
