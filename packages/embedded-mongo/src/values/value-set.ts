import type { ObjectId } from 'bson';
import { compareValues, equalValues } from './compare.ts';
import { encodeKey } from './key-encoding.ts';
import { isNumeric } from './numbers.ts';
import { ORDER, orderOf } from './types.ts';

/** Values that MongoDB holds for different. Of equal ones (1 and 1.0) it keeps the first. */
export class ValueSet {
  /** In the order in which they were added. */
  readonly values: unknown[] = [];
  readonly #keys = new Set<string>();
  /** With a collation: in its order, for the search. */
  readonly #sorted: unknown[] = [];
  readonly #collator: Intl.Collator | undefined;

  constructor(values: Iterable<unknown> = [], collator?: Intl.Collator) {
    this.#collator = collator;
    for (const value of values) {
      this.add(value);
    }
  }

  has(value: unknown): boolean {
    return this.#collator ? this.#find(value).found : this.#keys.has(keyOf(value));
  }

  add(value: unknown): void {
    if (this.#collator) {
      const { at, found } = this.#find(value);
      if (!found) {
        this.#sorted.splice(at, 0, value);
        this.values.push(value);
      }
      return;
    }
    const key = keyOf(value);
    if (!this.#keys.has(key)) {
      this.#keys.add(key);
      this.values.push(value);
    }
  }

  #find(value: unknown): { at: number; found: boolean } {
    let [low, high] = [0, this.#sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = compareValues(this.#sorted[middle], value, this.#collator);
      if (order === 0) {
        return { at: middle, found: true };
      }
      [low, high] = order < 0 ? [middle + 1, high] : [low, middle];
    }
    return { at: low, found: false };
  }
}

/** Equal values have equal keys. Strings, ids and small whole numbers have short ones: they are the values of almost every list. */
function keyOf(value: unknown): string {
  const order = orderOf(value);
  if (order === ORDER.string) {
    return `"${value}`;
  }
  if (order === ORDER.objectId) {
    return `@${(value as ObjectId).toHexString()}`;
  }
  const number = isNumeric(value) ? Number(value) : NaN;
  const isWhole = Number.isSafeInteger(number) && (typeof value === 'number' || equalValues(value, number));
  return isWhole ? `#${number}` : `=${encodeKey(value).toString('latin1')}`;
}
