import type { Document } from 'bson';
import { mongoError } from '../../base/errors.ts';
import { compileExpression } from '../../expressions/expressions.ts';
import { findDocuments } from '../../query/find-documents.ts';
import { splitPath } from '../../values/names.ts';
import { valuesAt } from '../../values/path-values.ts';
import { isDocument } from '../../values/types.ts';
import type { PipelineCompiler, Stage, StageContext } from '../stage.ts';

interface Lookup {
  from: string;
  as: string;
  localField: string | undefined;
  foreignField: string | undefined;
  variables: Document;
  pipeline: readonly unknown[];
}

/** `$lookup` by two equal fields, by a pipeline, or by both. */
export function lookupStage(
  operand: unknown,
  context: StageContext,
  compilePipeline: PipelineCompiler,
): Stage {
  const lookup = parseLookup(operand);
  // Each document compiles the pipeline anew with its variables. These calls only find its errors early.
  const variables = compileExpression(lookup.variables, context)({}) as Document;
  compilePipeline(lookup.pipeline, { ...context, variables: { ...context.variables, ...variables } });
  return function* join(documents) {
    for (const document of documents) {
      if (document === undefined) {
        yield undefined;
      } else {
        yield { ...document, [lookup.as]: [...foreign(document, lookup, context, compilePipeline)] };
      }
    }
  };
}

function parseLookup(operand: unknown): Lookup {
  if (!isDocument(operand)) {
    throw mongoError('FailedToParse', 'the $lookup specification must be an Object');
  }
  const { from, as, localField, foreignField, let: variables = {}, pipeline = [], ...unknown } = operand;
  const [extra] = Object.keys(unknown);
  if (extra) {
    throw mongoError('FailedToParse', `unknown argument to $lookup: ${extra}`);
  }
  const hasOneField = (localField === undefined) !== (foreignField === undefined);
  if (typeof from !== 'string' || typeof as !== 'string' || hasOneField) {
    throw mongoError(
      'FailedToParse',
      '$lookup requires from and as, and both or neither of localField and foreignField',
    );
  }
  return { from, as, localField, foreignField, variables, pipeline };
}

/** The documents of the other collection that belong to a document. */
function* foreign(
  document: Document,
  { from, localField, foreignField, variables, pipeline }: Lookup,
  context: StageContext,
  compilePipeline: PipelineCompiler,
): Generator<Document> {
  const collection = context.findCollection(from);
  if (!collection) {
    return;
  }
  const filter =
    localField === undefined || foreignField === undefined
      ? {}
      : equalityOf(document, localField, foreignField);
  const found = (function* matches() {
    for (const each of findDocuments(collection, { ...context, filter })) {
      if (each) {
        yield each.document;
      }
    }
  })();
  const hasVariables = Object.keys(variables).length > 0;
  const named = hasVariables ? (compileExpression(variables, context)(document) as Document) : {};
  const run = compilePipeline(pipeline, { ...context, variables: { ...context.variables, ...named } });
  for (const each of run(found)) {
    if (each) {
      yield each;
    }
  }
}

/** A missing or null local field joins null and missing ones. An array joins by each of its elements. */
function equalityOf(document: Document, localField: string, foreignField: string): Document {
  const reached = [...valuesAt(document, splitPath(localField), true)];
  const values = reached.filter((value) => !Array.isArray(value));
  const wanted = values.length === 0 ? [null] : values.map((value) => value ?? null);
  return { [foreignField]: { $in: wanted } };
}
