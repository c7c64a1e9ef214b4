import { encodeKey } from './key-encoding.ts';
import { outerName } from './names.ts';
import { isDocument, orderOf } from './types.ts';

/**
 * Compares two values of any types in MongoDB's order.
 * @param collator how strings compare; by default, by their UTF-8 bytes
 * @returns a number below, at or above zero
 */
export function compareValues(a: unknown, b: unknown, collator?: Intl.Collator): number {
  if (a === b && typeof a !== 'number') {
    return 0;
  }
  if (typeof a === 'number' && typeof b === 'number' && !Number.isNaN(a + b)) {
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (typeof a === 'string' && typeof b === 'string') {
    if (collator) {
      return collator.compare(a, b);
    }
    return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
  }
  const order = orderOf(a) - orderOf(b);
  if (order !== 0) {
    return order;
  }
  if (collator && Array.isArray(a) && Array.isArray(b)) {
    return compareLists(a, b, (x, y) => compareValues(x, y, collator));
  }
  if (collator && isDocument(a) && isDocument(b)) {
    return compareLists(
      Object.entries(a),
      Object.entries(b),
      ([name, x], [otherName, y]) =>
        orderOf(x) - orderOf(y) ||
        compareValues(outerName(name), outerName(otherName)) ||
        compareValues(x, y, collator),
    );
  }
  return Buffer.compare(encodeKey(a), encodeKey(b));
}

/** True if two values are equal for MongoDB. */
export function equalValues(a: unknown, b: unknown, collator?: Intl.Collator): boolean {
  return compareValues(a, b, collator) === 0;
}

function compareLists<T>(a: readonly T[], b: readonly T[], compare: (x: T, y: T) => number): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compare(a[i] as T, b[i] as T);
    if (order !== 0) {
      return order;
    }
  }
  return a.length - b.length;
}
