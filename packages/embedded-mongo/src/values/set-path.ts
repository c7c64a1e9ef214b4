import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { display } from './display.ts';
import { isDocument, MISSING } from './types.ts';

const POSITION = /^(0|[1-9]\d*)$/;
/** MongoDB's limit on the nulls that a $set may put into an array before the position it names. */
const MAX_PADDING = 1_500_000;

/** The value at a path, or MISSING. A number in the path is a position where there is an array. */
export function getPath(document: unknown, parts: readonly string[]): unknown {
  let value = document;
  for (const part of parts) {
    if (Array.isArray(value)) {
      value = POSITION.test(part) ? value[Number(part)] : MISSING;
    } else {
      value = isDocument(value) && Object.hasOwn(value, part) ? value[part] : MISSING;
    }
  }
  return value;
}

/** Sets a value, in place, and creates documents on the way. Throws PathNotViable (28) if the path leads through a scalar. */
export function setPath(document: Document, parts: readonly string[], value: unknown): void {
  let parent: unknown = document;
  for (const [i, part] of parts.entries()) {
    checkParent(parent, part, parts[i - 1]);
    const container = parent as Document;
    if (i === parts.length - 1) {
      define(container, part, value);
      return;
    }
    if (getPath(container, [part]) === MISSING) {
      define(container, part, {});
    }
    parent = container[part];
  }
}

function checkParent(parent: unknown, part: string, name: string | undefined): void {
  const canHold = Array.isArray(parent) ? POSITION.test(part) : isDocument(parent);
  if (!canHold) {
    throw mongoError(
      'PathNotViable',
      `Cannot create field '${part}' in element {${name}: ${display(parent)}}`,
    );
  }
}

function define(container: Document, part: string, value: unknown): void {
  if (!Array.isArray(container)) {
    // A plain assignment to "__proto__" would change the prototype instead of adding a field.
    Object.defineProperty(container, part, { value, writable: true, enumerable: true, configurable: true });
    return;
  }
  const index = Number(part);
  if (index - container.length > MAX_PADDING) {
    throw mongoError('BadValue', `can't backfill more than ${MAX_PADDING} elements`);
  }
  while (container.length < index) {
    container.push(null);
  }
  container[index] = value;
}

/** Removes a field, in place. An element of an array becomes null, as in MongoDB. */
export function unsetPath(document: Document, parts: readonly string[]): void {
  const parent = getPath(document, parts.slice(0, -1));
  const last = parts.at(-1) as string;
  if (Array.isArray(parent)) {
    if (POSITION.test(last) && Number(last) < parent.length) {
      parent[Number(last)] = null;
    }
  } else if (isDocument(parent)) {
    delete parent[last];
  }
}
