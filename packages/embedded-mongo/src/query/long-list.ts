import type { KeyRange } from '../storage/scan.ts';
import { encodeKey } from '../values/key-encoding.ts';
import { append, pointAt, toKeyRanges, WHOLE_RANGE } from './key-ranges.ts';
import { mergeRuns, RUN_LENGTH } from './merge-runs.ts';

/**
 * The key ranges of a long `$in`, in the order of its values. To encode and sort 100,000 values takes up to half a second, so the
 * run of the query does it and not the planner: each `undefined` is a pause, in which other commands may go first.
 */
export class LongList implements Iterable<KeyRange | undefined> {
  readonly #values: readonly unknown[];
  readonly #direction: number;
  readonly #areKeys: boolean;

  /**
   * @param direction of the index: 1 or -1
   * @param areKeys true if each value is one whole key of a unique index
   */
  constructor(values: readonly unknown[], direction: number, areKeys: boolean) {
    this.#values = values;
    this.#direction = direction;
    this.#areKeys = areKeys;
  }

  *[Symbol.iterator](): Generator<KeyRange | undefined> {
    const runs: Buffer[][] = [];
    for (let i = 0; i < this.#values.length; i += RUN_LENGTH) {
      const values = this.#values.slice(i, i + RUN_LENGTH);
      runs.push(values.map((value) => encodeKey(value)).sort(Buffer.compare));
      yield undefined;
    }
    let last: Buffer | undefined;
    for (const key of yield* mergeRuns(runs, Buffer.compare)) {
      const point = append(WHOLE_RANGE, pointAt(key), this.#direction);
      for (const range of toKeyRanges([point], false, this.#areKeys)) {
        // Equal values have one range, and long ones that differ only behind the stored part of a key.
        if (!last?.equals(range.start)) {
          yield range;
        }
        last = range.start;
      }
    }
  }
}
