import type { Document } from 'bson';
import { locationError } from '../base/errors.ts';
import { compileExpression } from '../expressions/expressions.ts';
import { compileProjection } from '../query/projection.ts';
import type { MatchContext } from '../values/match-context.ts';
import { outerName, splitPath } from '../values/names.ts';
import { setPath, unsetPath } from '../values/set-path.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument, MISSING } from '../values/types.ts';

type DocumentStage = (document: Document) => Document;

/** The stages that turn one document into one document. An update may consist of them, too. */
export const DOCUMENT_STAGES = new Set([
  '$project',
  '$addFields',
  '$set',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
]);

/** One of DOCUMENT_STAGES as a function. */
export function compileDocumentStage(name: string, operand: unknown, context: MatchContext): DocumentStage {
  switch (name) {
    case '$project':
      return projectStage(operand, context);
    case '$unset':
      return unsetStage(operand);
    case '$replaceRoot':
      return replaceStage(isDocument(operand) ? operand.newRoot : undefined, context);
    case '$replaceWith':
      return replaceStage(operand, context);
    default:
      return setStage(name, operand, context);
  }
}

function projectStage(operand: unknown, context: MatchContext): DocumentStage {
  const project = isDocument(operand) ? compileProjection(flatten(operand), context, 'stage') : undefined;
  if (project) {
    return project;
  }
  throw locationError(
    51272,
    'Invalid $project :: caused by :: projection specification must have at least one field',
  );
}

/** `{ a: { b: 1 } }` in $project and $set means `{ 'a.b': 1 }`, unless the inner document is an expression. */
function flatten(specification: Document, prefix = ''): Document {
  return Object.entries(specification).reduce<Document>((flat, [name, value]) => {
    const isNested =
      isDocument(value) && !Object.keys(value)[0]?.startsWith('$') && Object.keys(value).length > 0;
    return Object.assign(
      flat,
      isNested ? flatten(value, `${prefix}${outerName(name)}.`) : { [prefix + outerName(name)]: value },
    );
  }, {});
}

function setStage(name: string, operand: unknown, context: MatchContext): DocumentStage {
  if (!isDocument(operand)) {
    throw locationError(40272, `${name} specification stage must be an object, got ${bsonTypeName(operand)}`);
  }
  const fields = Object.entries(flatten(operand)).map(
    ([path, expression]) => [splitPath(path), compileExpression(expression, context)] as const,
  );
  return (document) => {
    const values = fields.map(([parts, evaluate]) => [parts, evaluate(document)] as const);
    const result = copyContainers(document) as Document;
    for (const [parts, value] of values) {
      if (value === MISSING) {
        unsetPath(result, parts);
      } else {
        setThroughArrays(result, parts, value);
      }
    }
    return result;
  };
}

/** Unlike an update's $set, the stage replaces scalars on the way, and sets the field in each element of an array. */
function setThroughArrays(target: Document, parts: readonly string[], value: unknown): void {
  const [first = '', ...rest] = parts;
  if (rest.length === 0) {
    setPath(target, [first], value);
    return;
  }
  const next = target[first];
  if (Array.isArray(next)) {
    for (const [i, item] of next.entries()) {
      if (!isDocument(item)) {
        next[i] = {};
      }
      setThroughArrays(next[i], rest, value);
    }
    return;
  }
  if (!isDocument(next)) {
    setPath(target, [first], {});
  }
  setThroughArrays(target[first], rest, value);
}

/** A copy that shares the values, but no document and no array. Setting a path in it leaves the original alone. */
function copyContainers(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map(copyContainers);
  }
  if (!isDocument(value)) {
    return value;
  }
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, copyContainers(item)]));
}

function unsetStage(operand: unknown): DocumentStage {
  const paths = Array.isArray(operand) ? operand : [operand];
  if (paths.length === 0 || !paths.every((path) => typeof path === 'string' && path !== '')) {
    throw locationError(31002, '$unset specification must be a string or an array with string values');
  }
  const exclusion = Object.fromEntries(paths.map((path) => [path, 0]));
  return compileProjection(exclusion, {}, 'stage') as DocumentStage;
}

function replaceStage(expression: unknown, context: MatchContext): DocumentStage {
  const evaluate = compileExpression(expression, context);
  return (document) => {
    const root = evaluate(document);
    if (isDocument(root)) {
      return root;
    }
    const found = bsonTypeName(root);
    throw locationError(
      40228,
      `'newRoot' expression must evaluate to an object, but resulting value was: ${found}`,
    );
  };
}
