import type { Document } from 'bson';
import { isDocument, MISSING } from '../values/types.ts';

/** The value at a path through documents. An array on the way leads nowhere, and a number is a name. */
export function fieldAt(root: unknown, parts: readonly string[]): unknown {
  return parts.reduce(
    (value, name) => (isDocument(value) && Object.hasOwn(value, name) ? value[name] : MISSING),
    root,
  );
}

/** A copy with a value at a path; MISSING removes the field. What is no document on the way is replaced by one. */
export function withField(root: unknown, [name = '', ...rest]: readonly string[], value: unknown): Document {
  const copy = isDocument(root) ? { ...root } : {};
  const inner = rest.length === 0 ? value : withField(copy[name], rest, value);
  if (inner === MISSING) {
    delete copy[name];
  } else {
    copy[name] = inner;
  }
  return copy;
}
