import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { lookUp } from '../base/look-up.ts';
import { display } from '../values/display.ts';
import { joinPath, splitPath } from '../values/names.ts';
import { getPath, setPath, unsetPath } from '../values/set-path.ts';
import { isDocument, MISSING } from '../values/types.ts';
import { type FieldChange, KEEP, REMOVE } from './field-change.ts';
import { concretePaths, positionResolver } from './positions.ts';
import { UPDATE_OPERATORS } from './update-operators.ts';
import type { UpdateContext, Updater } from './updater.ts';

/** One operator on one path. */
interface Modifier {
  operator: string;
  path: string;
  change: FieldChange;
}

/** An update with operators, such as `{ $set: { a: 1 }, $inc: { b: 1 } }`. */
export function compileModifiers(update: Document, context: UpdateContext): Updater {
  const modifiers = Object.entries(update).flatMap(([operator, fields]) =>
    compileOperator(operator, fields, context),
  );
  const paths = modifiers.map(({ path }) => path);
  const renames = Object.entries(update.$rename ?? {}).map(([from, to]) => checkRename(from, to));
  checkConflicts([...paths, ...renames.flat()]);
  const resolve = positionResolver(context, paths);
  // MongoDB applies the fields of all operators in the order of their names (since 5.0).
  modifiers.sort((a, b) => (a.path < b.path ? -1 : 1));
  return (document, isInsert) => {
    for (const { operator, path, change } of modifiers) {
      if (operator === '$setOnInsert' && !isInsert) {
        continue;
      }
      for (const parts of concretePaths(document, splitPath(path), resolve(document))) {
        apply(document, parts, change);
      }
    }
    for (const [from, to] of renames) {
      rename(document, from, to);
    }
    return document;
  };
}

function compileOperator(operator: string, fields: unknown, context: UpdateContext): Modifier[] {
  const compile = lookUp(UPDATE_OPERATORS, operator);
  if (!compile && operator !== '$rename') {
    const hint = 'Expected a valid update modifier or pipeline-style update specified as an array';
    throw mongoError('FailedToParse', `Unknown modifier: ${operator}. ${hint}`);
  }
  if (!isDocument(fields)) {
    throw mongoError(
      'FailedToParse',
      `Modifiers operate on fields but we found type ${typeof fields} instead. For example: {$mod: {<field>: ...}} not {${operator}: ${display(fields)}}`,
    );
  }
  if (!compile) {
    // A $rename, which compileModifiers applies after everything else.
    return [];
  }
  return Object.entries(fields).map(([path, operand]) => {
    checkPath(path);
    return { operator, path, change: compile(operand, path, context) };
  });
}

function checkPath(path: string): void {
  if (splitPath(path).includes('')) {
    const message = `The update path '${path}' contains an empty field name, which is not allowed.`;
    throw mongoError('EmptyFieldName', message);
  }
}

/** Refuses two updates of one path, or of a path and a part of it (40, ConflictingUpdateOperators). */
function checkConflicts(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of [...paths].sort((a, b) => a.length - b.length)) {
    const parts = splitPath(path);
    for (let i = 1; i <= parts.length; i++) {
      const beginning = parts.slice(0, i).join('.');
      if (seen.has(beginning)) {
        const message = `Updating the path '${path}' would create a conflict at '${beginning}'`;
        throw mongoError('ConflictingUpdateOperators', message);
      }
    }
    seen.add(path);
  }
}

function apply(document: Document, parts: readonly string[], change: FieldChange): void {
  const value = change(getPath(document, parts), joinPath(parts), document);
  if (value === REMOVE) {
    unsetPath(document, parts);
  } else if (value !== KEEP) {
    setPath(document, parts, value);
  }
}

function checkRename(from: string, to: unknown): [string, string] {
  if (typeof to !== 'string') {
    throw mongoError('BadValue', `The 'to' field for $rename must be a string: ${from}: ${display(to)}`);
  }
  if (`${from}.${to}`.includes('$')) {
    throw mongoError('BadValue', `The source and destination fields for $rename may not be dynamic: ${from}`);
  }
  checkPath(from);
  checkPath(to);
  return [from, to];
}

function rename(document: Document, from: string, to: string): void {
  const value = getPath(document, splitPath(from));
  if (value === MISSING) {
    return;
  }
  for (const path of [from, to]) {
    const parts = splitPath(path);
    const isInArray = parts.some((_, i) => i > 0 && Array.isArray(getPath(document, parts.slice(0, i))));
    if (isInArray) {
      throw mongoError(
        'BadValue',
        `The source and destination fields for $rename cannot be array elements: '${path}'`,
      );
    }
  }
  unsetPath(document, splitPath(from));
  setPath(document, splitPath(to), value);
}
