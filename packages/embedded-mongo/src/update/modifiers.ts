import type { Document } from 'bson';
import { demand } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { type Matcher, positionFinder } from '../matching/matcher.ts';
import { joinPath, outerName, splitPath } from '../values/names.ts';
import { checkViable, getPath, unsetPath } from '../values/set-path.ts';
import { bsonTypeName } from '../values/type-names.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { applyTree } from './apply-tree.ts';
import { type FieldChange, immutableId, KEEP, type UpdateContext, type Updater } from './field-change.ts';
import { UPDATE_OPERATORS } from './update-operators.ts';
import { addModifier, identifierOf, innerNode, type UpdateTree, updatePath } from './update-tree.ts';

type ArrayFilters = ReadonlyMap<string, Matcher>;

/** An update with operators, such as `{ $set: { a: 1 }, $inc: { b: 1 } }`. Each of the array filters must occur in a path. */
export function compileModifiers(update: Document, filters: ArrayFilters, context: UpdateContext): Updater {
  const root = innerNode();
  const parts = new Set(
    Object.entries(update).flatMap(([operator, fields]) =>
      addOperator(root, operator, fields, { ...context, filters }),
    ),
  );
  for (const name of filters.keys()) {
    demand(parts.has(`$[${name}]`), 'FailedToParse', `The array filter for '${name}' was not used`);
  }
  const find = parts.has('$') ? positionFinder(context.filter, context) : () => undefined;
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
  demand(compile || operator === '$rename', 'FailedToParse', `Unknown modifier: ${operator}`);
  demand(isDocument(fields), 'FailedToParse', `${operator} needs fields, not a ${bsonTypeName(fields)}`);
  return Object.entries(fields).flatMap(([name, operand]) => {
    const from = updatePath(outerName(name));
    const path = joinPath(from);
    const parts = compile ? from : checkRename(from, operand);
    const change = compile ? compile(operand, path, context) : renameFrom(from);
    if (!compile) {
      // Nothing else may change the source.
      addModifier(root, from, { operator: '$rename', change: () => KEEP });
    }
    for (const id of parts.map(identifierOf)) {
      demand(!id || context.filters.has(id), 'BadValue', `No array filter found for '${id}' in '${path}'`);
    }
    addModifier(root, parts, { operator, change });
    return parts;
  });
}

/** The parts of the path to which a `$rename` moves a field. Throws EmptyFieldName (56) or BadValue (2). */
function checkRename(from: readonly string[], to: unknown): string[] {
  demand(typeof to === 'string', 'BadValue', `The target of $rename must be a string: ${joinPath(from)}`);
  const parts = updatePath(to);
  const isSamePath = from.every((part, i) => i >= parts.length || part === parts[i]);
  const isDynamic = [...from, ...parts].some((part) => part === '$' || identifierOf(part) !== undefined);
  demand(!isSamePath, 'BadValue', `The source and target of $rename must not be on the same path: ${to}`);
  demand(!isDynamic, 'BadValue', `The fields of $rename may not be dynamic: ${joinPath(from)}, ${to}`);
  return parts;
}

/** Takes the value from its source; the modifier's own path is where it goes. */
function renameFrom(from: readonly string[]): FieldChange {
  return (_, path, document) => {
    const value = getPath(document, from);
    if (value === MISSING) {
      checkViable(document, from);
      return KEEP;
    }
    refuseArrays(document, from);
    refuseArrays(document, splitPath(path));
    if (from[0] === '_id') {
      throw immutableId(from);
    }
    unsetPath(document, from);
    return value;
  };
}

function refuseArrays(document: Document, parts: readonly string[]): void {
  const isInArray = parts.some((_, i) => i > 0 && Array.isArray(getPath(document, parts.slice(0, i))));
  demand(!isInArray, 'BadValue', `$rename cannot take or give an array element: '${joinPath(parts)}'`);
}
