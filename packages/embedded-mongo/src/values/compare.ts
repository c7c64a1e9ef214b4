import type { Document } from 'bson';
import { encodeKey } from './key-encoding.ts';
import { outerName } from './names.ts';
import { isDocument, orderOf } from './types.ts';

/**
 * Compares two values of any types in MongoDB's order.
 * @param collator how strings compare; by default, by their UTF-8 bytes
 * @returns a number below, at or above zero
 */
export function compareValues(a: unknown, b: unknown, collator?: Intl.Collator): number {
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
    return compareLists(a, b, collator);
  }
  if (collator && isDocument(a) && isDocument(b)) {
    return compareDocuments(a, b, collator);
  }
  return Buffer.compare(encodeKey(a), encodeKey(b));
}

/** True if two values are equal for MongoDB. */
export function equalValues(a: unknown, b: unknown, collator?: Intl.Collator): boolean {
  return compareValues(a, b, collator) === 0;
}

function compareLists(a: readonly unknown[], b: readonly unknown[], collator: Intl.Collator): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i], b[i], collator);
    if (order !== 0) {
      return order;
    }
  }
  return a.length - b.length;
}

function compareDocuments(a: Document, b: Document, collator: Intl.Collator): number {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  for (let i = 0; i < left.length && i < right.length; i++) {
    const [[name, value], [otherName, otherValue]] = [left[i], right[i]] as [
      [string, unknown],
      [string, unknown],
    ];
    const order =
      orderOf(value) - orderOf(otherValue) ||
      compareValues(outerName(name), outerName(otherName)) ||
      compareValues(value, otherValue, collator);
    if (order !== 0) {
      return order;
    }
  }
  return left.length - right.length;
}
