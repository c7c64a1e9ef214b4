import { equalValues } from './compare.ts';
import { encodeKey } from './key-encoding.ts';

/** A set of values: those that are equal for MongoDB, such as 1 and 1.0, are one. It keeps the first of them. */
export class ValueSet {
  readonly #keys = new Set<string>();
  readonly #collated: unknown[] = [];
  readonly #collator: Intl.Collator | undefined;

  constructor(values: readonly unknown[], collator?: Intl.Collator) {
    this.#collator = collator;
    for (const value of values) {
      this.add(value);
    }
  }

  has(value: unknown): boolean {
    return this.#collator
      ? this.#collated.some((each) => equalValues(each, value, this.#collator))
      : this.#keys.has(encodeKey(value).toString('latin1'));
  }

  /** False if the set has this value already. */
  add(value: unknown): boolean {
    if (this.has(value)) {
      return false;
    }
    if (this.#collator) {
      this.#collated.push(value);
    } else {
      this.#keys.add(encodeKey(value).toString('latin1'));
    }
    return true;
  }
}
