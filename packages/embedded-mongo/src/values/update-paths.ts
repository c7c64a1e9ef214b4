import type { Document } from 'bson';
import { mongoError } from '../base/errors.ts';
import { display, isDocument, MISSING } from './values.ts';

const INDEX = /^(0|[1-9]\d*)$/;
/** MongoDB's limit on the nulls a $set may put into an array before the position it names. */
const MAX_PADDING = 1_500_000;

/** Says which elements of an array the parts `$`, `$[]` and `$[name]` of a path stand for. */
export type PositionResolver = (part: string, path: string, items: readonly unknown[]) => number[];

/** The concrete paths an update path with positional parts stands for in a document. */
export function concretePaths(
  document: Document,
  parts: readonly string[],
  resolve: PositionResolver,
): string[][] {
  const at = parts.findIndex((part) => part.startsWith('$'));
  if (at < 0) return [[...parts]];
  const before = parts.slice(0, at);
  const path = before.join('.');
  const items = getPath(document, before);
  if (items === MISSING) {
    const message = `The path '${path}' must exist in the document in order to apply array updates.`;
    throw mongoError('BadValue', message);
  }
  if (!Array.isArray(items)) {
    throw mongoError(
      'BadValue',
      `Cannot apply array updates to non-array element ${before.at(-1)}: ${display(items)}`,
    );
  }
  return resolve(parts[at] as string, path, items).flatMap((index) =>
    concretePaths(document, [...before, String(index), ...parts.slice(at + 1)], resolve),
  );
}

/** The value at a concrete path, or MISSING. */
export function getPath(document: unknown, parts: readonly string[]): unknown {
  let value = document;
  for (const part of parts) {
    if (Array.isArray(value)) value = INDEX.test(part) ? value[Number(part)] : MISSING;
    else value = isDocument(value) && Object.hasOwn(value, part) ? value[part] : MISSING;
  }
  return value;
}

/** Sets a value, making documents on the way; throws PathNotViable (28) where the path leads through a scalar. */
export function setPath(document: Document, parts: readonly string[], value: unknown): void {
  let parent: unknown = document;
  parts.forEach((part, i) => {
    const name = parts[i - 1];
    checkParent(parent, part, name);
    const container = parent as Document;
    if (i === parts.length - 1) define(container, part, value);
    else {
      if (getPath(container, [part]) === MISSING) define(container, part, {});
      parent = container[part];
    }
  });
}

function checkParent(parent: unknown, part: string, name: string | undefined): void {
  const canHold = Array.isArray(parent) ? INDEX.test(part) : isDocument(parent);
  if (!canHold) {
    throw mongoError(
      'PathNotViable',
      `Cannot create field '${part}' in element {${name}: ${display(parent)}}`,
    );
  }
}

function define(container: Document, part: string, value: unknown): void {
  if (Array.isArray(container)) {
    const index = Number(part);
    if (index - container.length > MAX_PADDING)
      throw mongoError('BadValue', `can't backfill more than ${MAX_PADDING} elements`);
    while (container.length < index) container.push(null);
    container[index] = value;
    return;
  }
  // A plain assignment of "__proto__" would change the prototype instead of adding a field.
  Object.defineProperty(container, part, { value, writable: true, enumerable: true, configurable: true });
}

/** Removes a field; an array's element becomes null, as in MongoDB. */
export function unsetPath(document: Document, parts: readonly string[]): void {
  const parent = getPath(document, parts.slice(0, -1));
  const last = parts.at(-1) as string;
  if (Array.isArray(parent)) {
    if (INDEX.test(last) && Number(last) < parent.length) parent[Number(last)] = null;
  } else if (isDocument(parent)) delete parent[last];
}

/** Refuses two updates of one path, or of a path and a part of it (40, ConflictingUpdateOperators). */
export function checkConflicts(paths: readonly string[]): void {
  const seen = new Set<string>();
  for (const path of [...paths].sort((a, b) => a.length - b.length)) {
    const parts = path.split('.');
    for (let i = 1; i <= parts.length; i++) {
      const beginning = parts.slice(0, i).join('.');
      if (!seen.has(beginning)) continue;
      const message = `Updating the path '${path}' would create a conflict at '${beginning}'`;
      throw mongoError('ConflictingUpdateOperators', message);
    }
    seen.add(path);
  }
}
