import { debug } from '../base/debug.ts';
import { SLICE_MILLIS } from '../base/limits.ts';
import type { Store } from './store.ts';

const PREFIX = 'leftover:';

/**
 * Documents and index entries that no collection has: of what was dropped, and of indexes that are not complete. The store
 * keeps `leftover:<id>` for each collection or index of this kind, so that a killed process leaves nothing for good.
 */
export class Leftovers {
  readonly #store: Store;
  /** Indexes that are being built. */
  readonly #kept = new Set<number>();
  #cleaning: Promise<void> | undefined;
  #isDirty = false;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The ids that are not free yet. */
  get ids(): number[] {
    const keys = this.#store.catalog.getKeys({ start: PREFIX, end: 'leftover;' });
    return [...keys].map((key) => Number(key.slice(PREFIX.length)));
  }

  /** Marks an index that is being built. If the process is killed, the next one removes it. Call it inside Store.write only. */
  keep(id: number): void {
    this.#kept.add(id);
    this.#mark(id);
  }

  /** After a failed commit no index is being built any more. */
  keepNone(): void {
    this.#kept.clear();
  }

  /** Removes the mark: the index is complete, or nothing is left. Call it inside Store.write only. */
  unmark(id: number): void {
    this.#kept.delete(id);
    this.#store.catalog.removeSync(PREFIX + id);
  }

  #mark(id: number): void {
    this.#store.catalog.putSync(PREFIX + id, Buffer.of(1));
  }

  /** Removes what is small at once, and the rest after this transaction. Call it inside Store.write only. */
  discard(ids: readonly number[]): void {
    const deadline = performance.now() + SLICE_MILLIS;
    for (const id of ids) {
      this.#mark(id);
      this.#kept.delete(id);
      if (!this.#clear(id, deadline)) {
        setImmediate(() => void this.clean());
      }
    }
  }

  #clear(id: number, deadlineMillis: number): boolean {
    const isEmpty = this.#store.clear(id, deadlineMillis);
    if (isEmpty) {
      this.unmark(id);
    }
    return isEmpty;
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
      isLeft = await this.#store.write(() => this.#cleanOne());
    }
  }

  /** False if nothing was left. */
  #cleanOne(): boolean {
    const id = this.ids.find((each) => !this.#kept.has(each));
    if (id !== undefined) {
      this.#clear(id, performance.now() + SLICE_MILLIS);
    }
    return id !== undefined;
  }
}
