import { debug } from '../base/debug.ts';
import { SLICE_MILLIS } from '../base/limits.ts';
import type { Store } from './store.ts';

const PREFIX = 'leftover:';

/**
 * Documents and index entries that no collection has: of what was dropped, and of indexes that are not complete. The store
 * keeps `leftover:<id>` for each collection or index of this kind, so that a killed process leaves nothing for good. What
 * writes must be called inside Store.write only.
 */
export class Leftovers {
  /** Indexes that are being built. After a failed commit there are none. */
  readonly kept = new Set<number>();
  #cleaning: Promise<void> | undefined;
  #isDirty = false;

  constructor(readonly store: Store) {}

  /** The ids that are not free yet. */
  get ids(): number[] {
    const keys = this.store.catalog.getKeys({ start: PREFIX, end: 'leftover;' });
    return [...keys].map((key) => Number(key.slice(PREFIX.length)));
  }

  /** Marks an index that is being built. If the process is killed, the next one removes it. */
  keep(id: number): void {
    this.kept.add(id);
    this.store.catalog.putSync(PREFIX + id, Buffer.of(1));
  }

  /** Removes the mark: the index is complete, or nothing is left. */
  unmark(id: number): void {
    this.kept.delete(id);
    this.store.catalog.removeSync(PREFIX + id);
  }

  /** Removes what is small at once, and the rest after this transaction. */
  discard(ids: readonly number[]): void {
    const deadline = performance.now() + SLICE_MILLIS;
    for (const id of ids) {
      this.keep(id);
      this.kept.delete(id);
      if (this.store.clear(id, deadline)) {
        this.unmark(id);
      } else {
        setImmediate(() => void this.clean());
      }
    }
  }

  /** Removes all leftovers, in slices, so that other commands go first. It never rejects. */
  clean(): Promise<void> {
    this.#isDirty = true;
    this.#cleaning ??= this.#cleanAll()
      .catch((error) => debug('removal of leftovers failed: %o', error))
      .finally(() => {
        this.#cleaning = undefined;
      });
    return this.#cleaning;
  }

  async #cleanAll(): Promise<void> {
    for (let isLeft = true; isLeft || this.#isDirty; ) {
      this.#isDirty = false;
      isLeft = await this.store.write(() => {
        const next = this.ids.filter((id) => !this.kept.has(id)).slice(0, 1);
        this.discard(next);
        return next.length > 0;
      });
    }
  }
}
