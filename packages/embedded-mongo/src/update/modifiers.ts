import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { type Matcher, positionFinder } from '../matching/matcher.ts';
import { display } from '../values/display.ts';
import { joinPath, outerName } from '../values/names.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument } from '../values/types.ts';
import { applyTree } from './apply-tree.ts';
import { KEEP, type Modifier } from './field-change.ts';
import { checkRename, renameFrom } from './rename.ts';
import { UPDATE_OPERATORS } from './update-operators.ts';
import { addModifier, identifierOf, innerNode, type UpdateTree, updatePath } from './update-tree.ts';
import type { UpdateContext, Updater } from './updater.ts';

/** These count as a change even if they set an equal value. */
const ALWAYS_MODIFY = ['$currentDate', '$rename'];

type ArrayFilters = ReadonlyMap<string, Matcher>;

/** An update with operators, such as `{ $set: { a: 1 }, $inc: { b: 1 } }`. Each of the array filters must occur in a path. */
export function compileModifiers(update: Document, filters: ArrayFilters, context: UpdateContext): Updater {
  const root = innerNode();
  const parts = Object.entries(update).flatMap(([operator, fields]) =>
    addOperator(root, operator, fields, { ...context, filters }),
  );
  for (const name of filters.keys()) {
    if (!parts.includes(`$[${name}]`)) {
      const message = `The array filter for identifier '${name}' was not used in the update`;
      throw mongoError('FailedToParse', message);
    }
  }
  const find = parts.includes('$') ? positionFinder(context.filter, context) : () => undefined;
  return (document, isInsert) => {
    const position = isInsert ? undefined : find(document);
    return { document, isTouched: applyTree(root, document, { isInsert, position, filters }) };
  };
}

/** Adds the modifiers of one operator. Gives the parts of all their paths. */
function addOperator(
  root: UpdateTree,
  operator: string,
  fields: unknown,
  context: UpdateContext & { filters: ArrayFilters },
): string[] {
  const compile = lookUp(UPDATE_OPERATORS, operator);
  if (!compile && operator !== '$rename') {
    const hint = 'Expected a valid update modifier or pipeline-style update specified as an array';
    throw mongoError('FailedToParse', `Unknown modifier: ${operator}. ${hint}`);
  }
  if (!isDocument(fields)) {
    const found = `Modifiers operate on fields but we found type ${bsonTypeName(fields)} instead.`;
    throw mongoError(
      'FailedToParse',
      `${found} For example: {$mod: {<field>: ...}} not {${operator}: ${display(fields)}}`,
    );
  }
  return Object.entries(fields).flatMap(([name, operand]) => {
    const from = updatePath(outerName(name));
    const path = joinPath(from);
    const parts = compile ? from : checkRename(from, operand);
    const change = compile ? compile(operand, path, context) : renameFrom(from);
    const modifier = { operator, change, alwaysModifies: ALWAYS_MODIFY.includes(operator) };
    if (!compile) {
      addModifier(root, from, PLACEHOLDER);
    }
    checkIdentifiers(parts, context.filters);
    addModifier(root, parts, modifier);
    return parts;
  });
}

/** Nothing else may change the source of a `$rename`. */
const PLACEHOLDER: Modifier = { operator: '$rename', change: () => KEEP, alwaysModifies: false };

function checkIdentifiers(parts: readonly string[], filters: ArrayFilters): void {
  const unknown = parts.map(identifierOf).find((name) => name && !filters.has(name));
  if (unknown) {
    const message = `No array filter found for identifier '${unknown}' in path '${joinPath(parts)}'`;
    throw mongoError('BadValue', message);
  }
}
