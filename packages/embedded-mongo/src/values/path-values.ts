import { positionOf } from './names.ts';
import { isDocument, MISSING } from './types.ts';

/**
 * The values that a dotted path reaches in a document, in the way of MongoDB's matcher. It goes through the documents of
 * arrays on the way, and by position where a part is a number. With `expandLast` it gives the elements of an array at the
 * end before the array itself. A path that leads nowhere gives MISSING; one that leads into an array without documents
 * gives nothing.
 */
export function* valuesAt(
  root: unknown,
  parts: readonly string[],
  expandLast: boolean,
  from = 0,
): Generator<unknown> {
  if (from === parts.length) {
    if (expandLast && Array.isArray(root)) {
      yield* root;
    }
    yield root;
    return;
  }
  const part = parts[from] as string;
  if (Array.isArray(root)) {
    const index = positionOf(part);
    if (index !== undefined && index < root.length) {
      yield* valuesAt(root[index], parts, expandLast, from + 1);
    }
    for (const item of root) {
      if (isDocument(item)) {
        yield* valuesAt(item, parts, expandLast, from);
      }
    }
  } else if (isDocument(root) && Object.hasOwn(root, part)) {
    yield* valuesAt(root[part], parts, expandLast, from + 1);
  } else {
    yield MISSING;
  }
}
