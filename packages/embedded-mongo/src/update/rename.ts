import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { display } from '../values/display.ts';
import { joinPath, splitPath } from '../values/names.ts';
import { checkViable, getPath, unsetPath } from '../values/set-path.ts';
import { MISSING } from '../values/types.ts';
import { type FieldChange, immutableId, KEEP } from './field-change.ts';
import { identifierOf, updatePath } from './update-tree.ts';

/** The parts of the path to which a `$rename` moves a field. Throws EmptyFieldName (56) or BadValue (2). */
export function checkRename(from: readonly string[], to: unknown): string[] {
  if (typeof to !== 'string') {
    const message = `The 'to' field for $rename must be a string: ${joinPath(from)}: ${display(to)}`;
    throw mongoError('BadValue', message);
  }
  const parts = updatePath(to);
  const isSamePath = from.every((part, i) => i >= parts.length || part === parts[i]);
  if (isSamePath) {
    throw mongoError(
      'BadValue',
      `The source and target field for $rename must not be on the same path: ${to}`,
    );
  }
  if ([...from, ...parts].some((part) => part === '$' || identifierOf(part) !== undefined)) {
    throw mongoError('BadValue', `The fields for $rename may not be dynamic: ${joinPath(from)}, ${to}`);
  }
  return parts;
}

/** Takes the value from its source; the modifier's own path is where it goes. */
export function renameFrom(from: readonly string[]): FieldChange {
  return (_, path, document) => {
    const value = getPath(document, from);
    if (value === MISSING) {
      checkViable(document, from);
      return KEEP;
    }
    refuseArrays(document, from, 'source');
    refuseArrays(document, splitPath(path), 'destination');
    if (from[0] === '_id') {
      throw immutableId(from);
    }
    unsetPath(document, from);
    return value;
  };
}

function refuseArrays(document: Document, parts: readonly string[], which: string): void {
  if (parts.some((_, i) => i > 0 && Array.isArray(getPath(document, parts.slice(0, i))))) {
    throw mongoError('BadValue', `The ${which} field cannot be an array element, '${joinPath(parts)}'`);
  }
}
