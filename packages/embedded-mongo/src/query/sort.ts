import type { Document } from 'bson';
import { CommandError, locationError, mongoError, notImplemented } from '../base/errors.ts';
import { MAX_KEY_FIELDS, MAX_STAGE_BYTES } from '../base/limits.ts';
import { parseFieldPath } from '../expressions/field-path.ts';
import { compareValues } from '../values/compare.ts';
import { indexedValues } from '../values/indexed-values.ts';
import { directed, encodeKey } from '../values/key-encoding.ts';
import { outerName } from '../values/names.ts';
import { isNumeric } from '../values/numbers.ts';
import { isDocument } from '../values/types.ts';

type SortKey = Buffer | unknown[];

/** The order of a sort specification. An array counts as its least element, or in a descending field its greatest. */
export class Sorter {
  readonly #paths: string[][];
  readonly #directions: number[];
  readonly #collator: Intl.Collator | undefined;

  /**
   * @throws CommandError for a bad path, more than 32 fields (13103), a direction that is no number (15974) or neither 1 nor
   * -1 (15975), and for $meta, which this engine does not have
   */
  constructor(sort: Document, collator?: Intl.Collator) {
    this.#collator = collator;
    this.#directions = Object.values(sort).map(checkDirection);
    this.#paths = Object.keys(sort).map((path) => parseFieldPath(outerName(path)));
    if (this.#paths.length > MAX_KEY_FIELDS) {
      throw locationError(13103, 'too many compound keys');
    }
  }

  keyOf(document: Document): SortKey {
    try {
      const keys = indexedValues(document, this.#paths).keys.map((values) => this.#encode(values));
      return keys.reduce((least, key) => (this.compare(key, least) < 0 ? key : least));
    } catch (error) {
      const isParallel = error instanceof CommandError && error.codeName === 'CannotIndexParallelArrays';
      throw isParallel ? mongoError('BadValue', 'cannot sort with keys that are parallel arrays') : error;
    }
  }

  #encode(values: unknown[]): SortKey {
    if (this.#collator) {
      return values;
    }
    return Buffer.concat(values.map((value, i) => directed(encodeKey(value), this.#directions[i] as number)));
  }

  compare(a: SortKey, b: SortKey): number {
    if (Buffer.isBuffer(a) && Buffer.isBuffer(b)) {
      return Buffer.compare(a, b);
    }
    for (const [i, direction] of this.#directions.entries()) {
      const order = direction * compareValues((a as unknown[])[i], (b as unknown[])[i], this.#collator);
      if (order !== 0) {
        return order;
      }
    }
    return 0;
  }
}

function checkDirection(direction: unknown): number {
  if (isDocument(direction)) {
    if (!('$meta' in direction)) {
      throw locationError(17312, '$meta is the only expression supported by $sort right now');
    }
    throw notImplemented('$meta sort');
  }
  if (!isNumeric(direction)) {
    throw locationError(15974, 'Illegal key in $sort specification');
  }
  const number = Math.trunc(Number(direction));
  if (number !== 1 && number !== -1) {
    throw locationError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
  }
  return number;
}

/** Items that are sorted at once. It takes some milliseconds. */
const RUN_ITEMS = 1_000;

interface Item<T> {
  key: SortKey;
  item: T;
}

/**
 * Collects items and sorts them. It keeps only the first `keep` items.
 * @throws CommandError QueryExceededMemoryLimitNoDiskUseAllowed (292) above 100 MiB
 */
export class SortBuffer<T extends { raw: Buffer }> {
  /** Each is sorted, and later runs have later items. */
  #runs: Item<T>[][] = [];
  #items: Item<T>[] = [];
  #count = 0;
  #bytes = 0;
  readonly #sorter: Sorter;
  readonly #keep: number;

  constructor(sorter: Sorter, keep: number) {
    this.#sorter = sorter;
    this.#keep = keep;
  }

  add(item: T, document: Document): void {
    this.#items.push({ key: this.#sorter.keyOf(document), item });
    this.#count += 1;
    this.#bytes += item.raw.length;
    if (this.#items.length >= RUN_ITEMS || this.#bytes > MAX_STAGE_BYTES) {
      this.#endRun();
    }
    if (this.#bytes > MAX_STAGE_BYTES) {
      const message = `Sort exceeded memory limit of ${MAX_STAGE_BYTES} bytes`;
      throw mongoError('QueryExceededMemoryLimitNoDiskUseAllowed', message);
    }
  }

  /** The items in their order. `undefined` is a pause: to merge the runs of many items takes long. */
  *sorted(): Generator<T | undefined> {
    this.#endRun();
    while (this.#runs.length > 1) {
      const merged: Item<T>[][] = [];
      for (let i = 0; i < this.#runs.length; i += 2) {
        merged.push(yield* this.#merge(this.#runs[i] ?? [], this.#runs[i + 1] ?? []));
      }
      this.#runs = merged;
    }
    for (const { item } of (this.#runs[0] ?? []).slice(0, this.#keep)) {
      yield item;
    }
  }

  #endRun(): void {
    this.#runs.push(this.#sort(this.#items));
    this.#items = [];
    const isFull = this.#bytes > MAX_STAGE_BYTES || this.#count > 2 * this.#keep + RUN_ITEMS;
    if (isFull && Number.isFinite(this.#keep)) {
      const kept = this.#sort(this.#runs.flat()).slice(0, this.#keep);
      this.#runs = [kept];
      this.#count = kept.length;
      this.#bytes = kept.reduce((sum, { item }) => sum + item.raw.length, 0);
    }
  }

  #sort(items: Item<T>[]): Item<T>[] {
    return items.sort((a, b) => this.#sorter.compare(a.key, b.key));
  }

  *#merge(earlier: Item<T>[], later: Item<T>[]): Generator<undefined, Item<T>[]> {
    const merged: Item<T>[] = [];
    const length = earlier.length + later.length;
    for (let [i, k] = [0, 0]; merged.length < length; ) {
      const [a, b] = [earlier[i], later[k]];
      // Of equal items, the earlier one comes first.
      if (a && (!b || this.#sorter.compare(a.key, b.key) <= 0)) {
        merged.push(a);
        i += 1;
      } else {
        merged.push(b as Item<T>);
        k += 1;
      }
      if (merged.length % RUN_ITEMS === 0) {
        yield undefined;
      }
    }
    return merged;
  }
}
