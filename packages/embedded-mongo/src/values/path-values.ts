import { positionOf } from './names.ts';
import { isDocument, MISSING } from './types.ts';

/** Tests a value at a path. `position` is the element of the outermost array that the path went through by itself. */
type PathTest = (value: unknown, position: number | undefined) => boolean;

/**
 * Tests the values that a dotted path reaches in a document until one passes, as MongoDB's matcher does
 * (src/mongo/db/matcher/path.cpp). The path goes through the documents of an array, and by position where a part is a number:
 * only so does it enter an array in an array. A path that leads nowhere gives MISSING; one that ends at an array without a
 * fitting element gives nothing.
 * @param root a document, or an array as a document with the names 0, 1, …
 * @param expandLast true if an array at the end gives its elements before itself
 */
export function someValue(
  root: unknown,
  parts: readonly string[],
  expandLast: boolean,
  test: PathTest,
  from = 0,
): boolean {
  let value = root;
  for (let at = from; at < parts.length; at++) {
    value = childOf(value, parts[at] as string);
    if (Array.isArray(value)) {
      return someElement(value, parts, expandLast, test, at + 1);
    }
    if (!isDocument(value)) {
      return test(at + 1 < parts.length ? MISSING : value, undefined);
    }
  }
  return test(value, undefined);
}

/** The value of a field, or of a position in an array; MISSING without one. */
export function childOf(container: unknown, part: string): unknown {
  if (Array.isArray(container)) {
    return container[positionOf(part) ?? -1];
  }
  return isDocument(container) && Object.hasOwn(container, part) ? container[part] : MISSING;
}

function someElement(
  items: readonly unknown[],
  parts: readonly string[],
  expandLast: boolean,
  test: PathTest,
  from: number,
): boolean {
  if (from === parts.length) {
    return (expandLast && items.some(test)) || test(items, undefined);
  }
  const position = positionOf(parts[from] as string);
  return items.some((item, i) => {
    const throughItem = (value: unknown) => test(value, i);
    if (isDocument(item) && someValue(item, parts, expandLast, throughItem, from)) {
      return true;
    }
    if (i !== position) {
      return false;
    }
    if (from + 1 === parts.length) {
      return test(item, undefined);
    }
    return Array.isArray(item)
      ? someElement(item, parts, expandLast, test, from + 1)
      : isDocument(item) && someValue(item, parts, expandLast, test, from + 1);
  });
}

/** All values that a path reaches, in the way of `someValue`. */
export function valuesAt(root: unknown, parts: readonly string[], expandLast: boolean): unknown[] {
  const values: unknown[] = [];
  someValue(root, parts, expandLast, (value) => {
    values.push(value);
    return false;
  });
  return values;
}
