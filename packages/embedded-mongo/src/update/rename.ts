import type { Document } from 'bson';
import { demand } from '../base/errors.ts';
import { joinPath, splitPath } from '../values/names.ts';
import { checkViable, getPath, unsetPath } from '../values/set-path.ts';
import { MISSING } from '../values/types.ts';
import { type FieldChange, immutableId, KEEP } from './field-change.ts';
import { identifierOf, updatePath } from './update-tree.ts';

/** The parts of the path to which a `$rename` moves a field. Throws EmptyFieldName (56) or BadValue (2). */
export function checkRename(from: readonly string[], to: unknown): string[] {
  demand(typeof to === 'string', 'BadValue', `The target of $rename must be a string: ${joinPath(from)}`);
  const parts = updatePath(to);
  const isSamePath = from.every((part, i) => i >= parts.length || part === parts[i]);
  const isDynamic = [...from, ...parts].some((part) => part === '$' || identifierOf(part) !== undefined);
  demand(!isSamePath, 'BadValue', `The source and target of $rename must not be on the same path: ${to}`);
  demand(!isDynamic, 'BadValue', `The fields of $rename may not be dynamic: ${joinPath(from)}, ${to}`);
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
