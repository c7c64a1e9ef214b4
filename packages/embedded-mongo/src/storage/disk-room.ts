import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

const MEBIBYTE = 1024 * 1024;
/** What a write takes as a rule, when many are committed together and change the same pages. */
const BYTES_PER_WRITE = 16 * 1024;
/** How many writes there may be until it is looked again what they took. */
const WRITES_PER_LOOK = 8;
/** What is kept for all who write more than that; it doubles with each commit that fails all the same. */
const RESERVE_BYTES = { least: MEBIBYTE, most: 64 * MEBIBYTE };
/** By how much the file grows at a time. */
const ZEROS = Buffer.alloc(MEBIBYTE);
/** How often it is tried to grow on a disk that had no room for it. */
const RETRY_INTERVAL_MILLISECONDS = 500;

/**
 * Room in the data file for what is about to be written. LMDB extends its file as it commits, and must not find the disk
 * full then: each commit that fails costs it memory that it frees twice (lmdb 3.5), which ends the process sooner or later.
 * So the file is extended before LMDB is asked, and whoever finds no room is refused with nothing half-done. What LMDB puts
 * into pages that it has freed takes no room.
 */
export class DiskRoom {
  readonly #file: number;
  /** What may be written before it must be looked again, in bytes. */
  #budget = 0;
  #reserve = RESERVE_BYTES.least;
  #writing = 0;
  #failedAt = -Infinity;
  #isClosed = false;

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

  /**
   * To be told of a commit that failed all the same: it wrote more than was kept for it, or the file system wants new room
   * even for what is overwritten.
   */
  noteFull(): void {
    // Every write of the commit comes to tell of it.
    if (this.#isWaiting()) return;
    this.#budget = 0;
    this.#reserve = Math.min(2 * this.#reserve, RESERVE_BYTES.most);
    this.#failedAt = performance.now();
  }

  close(): void {
    if (!this.#isClosed) closeSync(this.#file);
    this.#isClosed = true;
  }

  #isWaiting(): boolean {
    return performance.now() - this.#failedAt < RETRY_INTERVAL_MILLISECONDS;
  }

  /** Whether there is room for one write more, the file being as much larger as that takes. */
  #extend(): boolean {
    if (this.#isWaiting()) return false;
    const wanted = this.usedBytes() + this.#reserve + (this.#writing + 1) * BYTES_PER_WRITE;
    let { size } = fstatSync(this.#file);
    try {
      while (size < wanted) size += writeSync(this.#file, ZEROS);
    } catch {
      this.#failedAt = performance.now();
      return false;
    }
    this.#budget = Math.min(size - wanted + BYTES_PER_WRITE, WRITES_PER_LOOK * BYTES_PER_WRITE);
    return true;
  }
}
