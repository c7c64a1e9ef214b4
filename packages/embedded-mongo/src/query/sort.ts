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
import { mergeRuns, RUN_LENGTH } from './merge-runs.ts';

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
      const { keys } = indexedValues(document, this.#paths);
      return this.#encode(keys.reduce((least, key) => (this.compare(key, least) < 0 ? key : least)));
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
    for (let i = 0; i < this.#directions.length; i++) {
      const order = compareValues((a as unknown[])[i], (b as unknown[])[i], this.#collator);
      if (order !== 0) {
        return order * (this.#directions[i] as number);
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

interface SortItem<T> {
  key: SortKey;
  item: T;
}

/**
 * Collects items and sorts them. It keeps only the first `keep` items.
 * @throws CommandError QueryExceededMemoryLimitNoDiskUseAllowed (292) above 100 MiB
 */
export class SortBuffer<T extends { raw: Buffer }> {
  /** Sorted lists of items, in the order in which they came, and the items that came after them. */
  #runs: SortItem<T>[][] = [];
  #last: SortItem<T>[] = [];
  #count = 0;
  #bytes = 0;
  readonly #sorter: Sorter;
  readonly #keep: number;

  constructor(sorter: Sorter, keep: number) {
    this.#sorter = sorter;
    this.#keep = keep;
  }

  add(item: T, document: Document): void {
    this.#last.push({ key: this.#sorter.keyOf(document), item });
    this.#count++;
    this.#bytes += item.raw.length;
    if (this.#last.length === RUN_LENGTH) {
      this.#endRun();
    }
    const isFull = this.#count > 2 * this.#keep + RUN_LENGTH || this.#bytes > MAX_STAGE_BYTES;
    // Where all items are kept, a trim would take long and free nothing.
    if (isFull && Number.isFinite(this.#keep)) {
      this.#trim();
    }
    if (this.#bytes > MAX_STAGE_BYTES) {
      const message = `Sort exceeded memory limit of ${MAX_STAGE_BYTES} bytes`;
      throw mongoError('QueryExceededMemoryLimitNoDiskUseAllowed', message);
    }
  }

  /** The items in their order. `undefined` is a pause, in which other commands may go first. */
  *sorted(): Generator<T | undefined> {
    for (const { item } of yield* this.#merged()) {
      yield item;
    }
  }

  #endRun(): void {
    this.#runs.push(this.#last.sort((a, b) => this.#sorter.compare(a.key, b.key)));
    this.#last = [];
  }

  #trim(): void {
    const merging = this.#merged();
    let step = merging.next();
    while (!step.done) {
      step = merging.next();
    }
    this.#runs = [step.value];
    this.#count = step.value.length;
    this.#bytes = step.value.reduce((sum, { item }) => sum + item.raw.length, 0);
  }

  *#merged(): Generator<undefined, SortItem<T>[]> {
    this.#endRun();
    return yield* mergeRuns(this.#runs, (a, b) => this.#sorter.compare(a.key, b.key), this.#keep);
  }
}
