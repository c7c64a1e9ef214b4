import { BSONRegExp, type Document } from 'bson';
import { demand, refuse } from '../../base/errors.ts';
import { compileExpression } from '../../expressions/expressions.ts';
import { parseFieldPath } from '../../expressions/field-path.ts';
import { checkWritableName, variableDefinitions } from '../../expressions/variable-names.ts';
import { findDocuments } from '../../query/find-documents.ts';
import { joinPath } from '../../values/names.ts';
import { valuesAt } from '../../values/path-values.ts';
import { isDocument, MISSING } from '../../values/types.ts';
import { withField } from '../document-path.ts';
import { mapDocuments, type PipelineCompiler, type Stage, type StageContext } from '../stage.ts';

/** `$lookup` by two equal fields, by a pipeline, or by both. */
export function lookupStage(
  operand: unknown,
  context: StageContext,
  compilePipeline: PipelineCompiler,
): Stage {
  const lookup = parseLookup(operand);
  const foreign = compileForeign(lookup, context, compilePipeline);
  return function* join(documents) {
    for (const document of documents) {
      const joined: Document[] = [];
      for (const each of document ? foreign(document) : []) {
        if (each) {
          joined.push(each);
        } else {
          yield undefined;
        }
      }
      yield document && withField(document, lookup.as, joined);
      yield undefined;
    }
  };
}

type Lookup = ReturnType<typeof parseLookup>;

function parseLookup(operand: unknown) {
  demand(isDocument(operand), 'FailedToParse', 'the $lookup stage specification must be an object');
  const { let: variables, pipeline, ...names } = operand;
  for (const [name, value] of Object.entries(names)) {
    const isKnown = ['from', 'as', 'localField', 'foreignField'].includes(name) && typeof value === 'string';
    demand(isKnown, 'FailedToParse', `unknown or not a string: argument '${name}' to $lookup`);
  }
  const { from = '', as = '', localField = '', foreignField = '' } = names;
  const areBoth = (localField === '') === (foreignField === '');
  const isWhole = from !== '' && as !== '' && areBoth && (localField !== '' || pipeline !== undefined);
  demand(isWhole, 'FailedToParse', "$lookup requires 'from', 'as', and 'pipeline' or both fields");
  const isLet = variables === undefined || (isDocument(variables) && pipeline !== undefined);
  demand(isLet, 'FailedToParse', "'let' of $lookup must be an object, beside a 'pipeline'");
  const isList = pipeline === undefined || Array.isArray(pipeline);
  demand(isList, 'TypeMismatch', "'pipeline' option must be specified as an array");
  const fields = localField === '' ? undefined : [parseFieldPath(localField), parseFieldPath(foreignField)];
  return { from, as: parseFieldPath(as), fields, variables: variables ?? {}, pipeline: pipeline ?? [] };
}

/** The documents of the other collection that belong to a document, as a function. */
function compileForeign(
  { from, fields, variables, pipeline }: Lookup,
  context: StageContext,
  compilePipeline: PipelineCompiler,
): (document: Document) => Iterable<Document | undefined> {
  const own = variableDefinitions(variables).map(([name, expression]) => {
    checkWritableName(name);
    return [name, compileExpression(expression, context)] as const;
  });
  // The pipeline is compiled once. It reads the variables' values of the present document from this map.
  const values = new Map<string, unknown>([...(context.variables ?? []), ...own]);
  const inner: StageContext = { ...context, variables: values };
  const { query, runRest } = compilePipeline(pipeline, inner);
  const isFiltered = Object.keys(query.filter).length > 0;
  const search = (document: Document) => {
    const own = fields && equality(document, fields);
    return { filter: own && isFiltered ? { $and: [own, query.filter] } : (own ?? query.filter) };
  };
  return (document) => {
    for (const [name, value] of context.variables ?? []) {
      values.set(name, value);
    }
    for (const [name, evaluate] of own) {
      values.set(name, evaluate(document));
    }
    const collection = context.findCollection(from);
    const found = collection ? findDocuments(collection, { ...query, ...search(document) }) : [];
    return runRest(mapDocuments(found, (each) => each.document));
  };
}

/** An array joins by each of its elements. Nothing joins by null, which is also equal to missing fields. */
function equality(document: Document, [local = [], foreign = []]: readonly string[][]): Document {
  const reached = [...valuesAt(document, local, false)].flat();
  const values = reached.filter((value) => value !== MISSING);
  const path = joinPath(foreign);
  const hasPattern = values.some((value) => value instanceof BSONRegExp);
  refuse(hasPattern, '$lookup by a pattern');
  // The same as $in with one value, which takes longer to plan and to compile.
  return { [path]: values.length > 1 ? { $in: values } : { $eq: values[0] ?? null } };
}
