import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

/** What a write takes as a rule, when many are committed together and change the same pages. */
const BYTES_PER_WRITE = 16 * 1024;
/** What is left for all who write more than that, and by how much the file grows at a time. */
const ZEROS = Buffer.alloc(1024 * 1024);
/** How often it is tried to grow on a disk that had no room for it. */
const RETRY_INTERVAL_MILLISECONDS = 500;

/**
 * Room in the data file for what is about to be written. LMDB extends its file as it commits, and must not find the disk
 * full then: each commit that fails costs it memory that it frees twice (lmdb 3.5), which ends the process sooner or later.
 * So the file is extended before LMDB is asked, and whoever finds no room is refused with nothing half-done. A disk that is
 * full has room again for those who come later; pages that LMDB has freed need none.
 */
export class DiskRoom {
  readonly #file: number;
  /** What may be written before it must be looked again, in bytes. */
  #budget = 0;
  #writing = 0;
  #failedAt = -Infinity;

  /**
   * @param file the data file, which exists
   * @param usedBytes how much of it holds committed pages, from its beginning
   */
  constructor(
    file: string,
    private readonly usedBytes: () => number,
  ) {
    // To append only: zeros must never come over a page that LMDB is writing.
    this.#file = openSync(file, 'a');
  }

  /** Takes room for a write until `release`. False when there is none. */
  take(): boolean {
    if (this.#budget < BYTES_PER_WRITE && !this.#extend()) return false;
    this.#budget -= BYTES_PER_WRITE;
    this.#writing++;
    return true;
  }

  /** To be called when a write that took room has ended, either way. */
  release(): void {
    this.#writing--;
  }

  /** To be told of a commit that failed all the same: some file systems want new room even for what is overwritten. */
  noteFull(): void {
    this.#budget = 0;
    this.#failedAt = performance.now();
  }

  close(): void {
    closeSync(this.#file);
  }

  /** Whether there is room for one write more, the file being as much larger as that takes. */
  #extend(): boolean {
    if (performance.now() - this.#failedAt < RETRY_INTERVAL_MILLISECONDS) return false;
    const wanted = this.usedBytes() + ZEROS.length + (this.#writing + 1) * BYTES_PER_WRITE;
    let { size } = fstatSync(this.#file);
    try {
      while (size < wanted) size += writeSync(this.#file, ZEROS);
    } catch {
      this.#failedAt = performance.now();
      return false;
    }
    this.#budget = size - wanted + BYTES_PER_WRITE;
    return true;
  }
}
