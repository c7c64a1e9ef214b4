import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { display } from './display.ts';
import { outerName, positionOf } from './names.ts';
import { childOf } from './path-values.ts';
import { isDocument, MISSING } from './types.ts';

/** MongoDB's limit on the nulls that a $set may put into an array before the position it names. */
const MAX_PADDING = 1_500_000;

/** The value at a path, or MISSING. A number in the path is a position where there is an array. */
export function getPath(document: unknown, parts: readonly string[]): unknown {
  return parts.reduce(childOf, document);
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
    if (childOf(container, part) === MISSING) {
      define(container, part, {});
    }
    parent = childOf(container, part);
  }
}

/**
 * Throws PathNotViable (28) if the first part that is missing could not be created: for the operators that change nothing
 * where the path leads nowhere.
 */
export function checkViable(document: Document, parts: readonly string[]): void {
  for (const [i, part] of parts.entries()) {
    const parent = getPath(document, parts.slice(0, i));
    checkParent(parent, part, parts[i - 1]);
    if (childOf(parent, part) === MISSING) {
      return;
    }
  }
}

function checkParent(parent: unknown, part: string, name: string | undefined): void {
  const canHold = Array.isArray(parent) ? positionOf(part) !== undefined : isDocument(parent);
  if (!canHold) {
    const element = `{${outerName(name ?? '')}: ${display(parent)}}`;
    throw mongoError('PathNotViable', `Cannot create field '${outerName(part)}' in element ${element}`);
  }
}

function define(container: Document, part: string, value: unknown): void {
  if (!Array.isArray(container)) {
    container[part] = value;
    return;
  }
  const index = positionOf(part) as number;
  if (index - container.length > MAX_PADDING) {
    throw mongoError('CannotBackfillArray', `can't backfill more than ${MAX_PADDING} elements`);
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
    const index = positionOf(last);
    if (index !== undefined && index < parent.length) {
      parent[index] = null;
    }
  } else if (isDocument(parent)) {
    delete parent[last];
  }
}
