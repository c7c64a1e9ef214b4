import type { Document } from 'bson';
import { demand } from '../base/errors.ts';
import { MAX_LEVELS } from '../base/limits.ts';
import { splitPath } from '../values/names.ts';
import { isDocument, MISSING } from '../values/types.ts';

/**
 * The parts of a field path in an expression, such as `a.b` of `$a.b`.
 * @throws CommandError for no path (40352), more than 200 parts (15), an empty part (15998), a point at the end (40353), a part with a dollar (16410) or a NUL (16411)
 */
export function parseFieldPath(path: string): string[] {
  demand(path !== '', 40352, 'FieldPath cannot be constructed with empty string');
  demand(!path.endsWith('.'), 40353, "FieldPath must not end with a '.'.");
  const parts = path.split('.');
  demand(parts.length <= MAX_LEVELS, 'Overflow', 'FieldPath is too long');
  for (const part of parts) {
    checkFieldName(part);
  }
  return splitPath(path);
}

/** Checks a name of a field, without points. */
export function checkFieldName(part: string): void {
  demand(part !== '', 15998, 'FieldPath field names may not be empty strings.');
  demand(!part.startsWith('$'), 16410, "FieldPath field names may not start with '$'.");
  demand(!part.includes('\0'), 16411, 'FieldPath field names may not contain null bytes.');
}

/**
 * The value at a path in the way of expressions: a number is a name, never a position. Of an array on the way, it is the array
 * of what its documents give; inner arrays and scalars give nothing.
 */
export function valueAt(value: unknown, parts: readonly string[], from = 0): unknown {
  if (from === parts.length) {
    return value;
  }
  if (isDocument(value)) {
    return fieldAt(value, parts, from);
  }
  if (!Array.isArray(value)) {
    return MISSING;
  }
  return value
    .filter(isDocument)
    .map((item) => fieldAt(item, parts, from))
    .filter((found) => found !== MISSING);
}

function fieldAt(document: Document, parts: readonly string[], from: number): unknown {
  const name = parts[from] as string;
  return Object.hasOwn(document, name) ? valueAt(document[name], parts, from + 1) : MISSING;
}
