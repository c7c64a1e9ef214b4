import type { Collection } from './collection.ts';
import type { Index } from './index-spec.ts';

/**
 * Fills new indexes of one collection, slice by slice. They hold the documents up to the last slice, and all documents
 * that were inserted since the start: writes keep both up to date. The next slices add the documents in between.
 */
export class IndexBuild {
  /** Why the build has failed. A write may violate a new index: the write is done, and the build fails. */
  failure: Error | undefined;
  #next = 0;
  readonly #end: number;

  constructor(
    readonly collection: Collection,
    readonly indexes: readonly Index[],
  ) {
    this.#end = collection.nextRecord;
    for (const index of indexes) {
      index.build = this;
      index.isCommitted = false;
    }
  }

  /** True if writes to this record must leave the indexes alone. */
  leavesOut(record: number): boolean {
    return this.failure !== undefined || (record >= this.#next && record < this.#end);
  }

  /**
   * Adds documents until the deadline. True if the indexes hold every document from now on. Call it inside Store.write only.
   * @throws the failure of the build, such as DuplicateKey (11000)
   */
  advance(deadlineMillis: number): boolean {
    for (const { record, raw } of this.collection.scanDocuments(false, this.#next)) {
      if (this.failure || record >= this.#end) {
        break;
      }
      if (performance.now() > deadlineMillis) {
        return false;
      }
      this.collection.addEntries(this.indexes, record, raw);
      this.#next = record + 1;
    }
    if (this.failure) {
      throw this.failure;
    }
    for (const index of this.indexes) {
      index.build = undefined;
    }
    return true;
  }
}
