import type { Document } from 'bson';
import { demand } from '../base/errors.ts';
import { compileExpression } from '../expressions/expressions.ts';
import { parseFieldPath } from '../expressions/field-path.ts';
import { FieldTree } from '../query/field-tree.ts';
import { compileProjection, type Projector } from '../query/projection.ts';
import type { MatchContext } from '../values/match-context.ts';
import { outerName } from '../values/names.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument } from '../values/types.ts';

type DocumentStageCompiler = (operand: unknown, context: MatchContext, name: string) => Projector;

/** The stages that turn one document into one document. An update may consist of them, too. */
export const DOCUMENT_STAGES: Record<string, DocumentStageCompiler> = {
  $project: projectStage,
  $addFields: setStage,
  $set: setStage,
  $unset: unsetStage,
  $replaceRoot: replaceRootStage,
  $replaceWith: replaceStage,
};

function projectStage(operand: unknown, context: MatchContext): Projector {
  demand(isDocument(operand), 15969, '$project specification must be an object');
  const project = compileProjection(operand, context, 'stage');
  demand(project, 51272, 'projection specification must have at least one field');
  return project;
}

function setStage(operand: unknown, context: MatchContext, name: string): Projector {
  demand(isDocument(operand), 40272, `${name} specification stage must be an object`);
  const tree = new FieldTree();
  for (const [path, value] of Object.entries(operand)) {
    addComputed(tree, parseFieldPath(outerName(path)), value, context);
  }
  return (document) => tree.compute(document, document);
}

/** `{ a: { b: 1 } }` means `{ 'a.b': 1 }`, unless the inner document is an operator or empty. */
function addComputed(tree: FieldTree, parts: readonly string[], value: unknown, context: MatchContext): void {
  const names = isDocument(value) ? Object.keys(value) : [];
  const isOperator = names.some((name) => name.startsWith('$'));
  demand(!isOperator || names.length === 1, 40181, 'an expression must contain exactly one field');
  if (isOperator || names.length === 0) {
    tree.add(parts, compileExpression(value, context), [40176, 40176]);
    return;
  }
  for (const [name, inner] of Object.entries(value as Document)) {
    demand(!outerName(name).includes('.'), 40183, `cannot use dotted field name '${name}' in a sub object`);
    addComputed(tree, [...parts, ...parseFieldPath(outerName(name))], inner, context);
  }
}

function unsetStage(operand: unknown): Projector {
  const paths: unknown[] = Array.isArray(operand) ? operand : [operand];
  const problem = '$unset specification must be a string or an array of strings';
  demand(Array.isArray(operand) || typeof operand === 'string', 31002, problem);
  demand(paths.length > 0, 31119, problem);
  const tree = new FieldTree();
  for (const path of paths) {
    demand(typeof path === 'string', 31120, problem);
    tree.add(parseFieldPath(path), 'dropped');
  }
  return (document) => tree.project(document, false);
}

function replaceRootStage(operand: unknown, context: MatchContext): Projector {
  demand(isDocument(operand), 40229, 'the specification of $replaceRoot must be an object');
  const [unknown] = Object.keys(operand).filter((name) => name !== 'newRoot');
  demand(unknown === undefined, 40415, `BSON field '$replaceRoot.${unknown}' is an unknown field.`);
  demand('newRoot' in operand, 40414, "BSON field '$replaceRoot.newRoot' is missing but a required field");
  return replaceStage(operand.newRoot, context);
}

function replaceStage(expression: unknown, context: MatchContext): Projector {
  const evaluate = compileExpression(expression, context);
  return (document) => {
    const root = evaluate(document);
    demand(isDocument(root), 40228, `'newRoot' must evaluate to an object, not to a ${bsonTypeName(root)}`);
    return root;
  };
}
