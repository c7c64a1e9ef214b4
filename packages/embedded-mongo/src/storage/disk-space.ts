import { closeSync, fstatSync, openSync, writeSync } from 'node:fs';

const MEBIBYTE = 1024 * 1024;
/** The usual cost of a write, when many commit together and change the same pages. */
const BYTES_PER_WRITE = 16 * 1024;
/** The number of writes until the next look at the real size. */
const WRITES_PER_LOOK = 8;
/** Space for writes that cost more. It doubles with each commit that still finds the disk full. */
const MIN_RESERVE_BYTES = MEBIBYTE;
const MAX_RESERVE_BYTES = 64 * MEBIBYTE;
/** The file grows by this at a time. */
const ZEROS = Buffer.alloc(MEBIBYTE);
/** The time between two attempts to grow on a full disk. */
const RETRY_INTERVAL_MILLIS = 500;
/** The time without a refused write after which the disk counts as having space again. */
const CALM_MILLIS = 2000;

/**
 * Space in the data file for the next writes. LMDB extends its file when it commits. It must not find the disk full then:
 * each failed commit costs it memory that it frees twice (lmdb 3.5), which ends the process sooner or later. So the file is
 * extended before LMDB is asked, and a write without space is refused before it starts. Pages that LMDB has freed and uses
 * again need no space.
 */
export class DiskSpace {
  readonly #file: number;
  readonly #usedBytes: () => number;
  readonly #nowMillis: () => number;
  /** Bytes that may be written until the next look. */
  #budget = 0;
  #reserve = MIN_RESERVE_BYTES;
  #writing = 0;
  #failedAt = -Infinity;
  #isClosed = false;

  /**
   * @param file the data file, which exists
   * @param usedBytes gives the part of the file that holds committed pages, from its beginning
   * @param nowMillis a clock that never goes back
   */
  constructor(file: string, usedBytes: () => number, nowMillis = () => performance.now()) {
    // Append only: zeros must never overwrite a page that LMDB is writing.
    this.#file = openSync(file, 'a');
    this.#usedBytes = usedBytes;
    this.#nowMillis = nowMillis;
  }

  /** Takes space for one write until `release`. False if there is none. */
  take(): boolean {
    if (!this.#isLeft()) {
      return false;
    }
    this.#budget -= BYTES_PER_WRITE;
    this.#writing++;
    return true;
  }

  /** False if a write finds none, or found none a moment ago: one alone may find the last of the space. */
  canServe(): boolean {
    return this.#nowMillis() - this.#failedAt >= CALM_MILLIS && this.#isLeft();
  }

  /** Call it when a write that took space has ended, whether it failed or not. */
  release(): void {
    this.#writing--;
  }

  /** Call it for a commit that found the disk full all the same: its writes cost more than the space kept for them. */
  noteFull(): void {
    // Every write of the failed commit calls this. Only the first call counts.
    if (!this.#isWaiting()) {
      this.#budget = 0;
      this.#reserve = Math.min(2 * this.#reserve, MAX_RESERVE_BYTES);
      this.#failedAt = this.#nowMillis();
    }
  }

  /** A second call does nothing. */
  close(): void {
    if (!this.#isClosed) {
      closeSync(this.#file);
    }
    this.#isClosed = true;
  }

  #isLeft(): boolean {
    return this.#budget >= BYTES_PER_WRITE || this.#extend();
  }

  #isWaiting(): boolean {
    return this.#nowMillis() - this.#failedAt < RETRY_INTERVAL_MILLIS;
  }

  /** Extends the file for one more write, if it has to. False if the disk is full. */
  #extend(): boolean {
    if (this.#isWaiting()) {
      return false;
    }
    const wanted = this.#usedBytes() + this.#reserve + (this.#writing + 1) * BYTES_PER_WRITE;
    let { size } = fstatSync(this.#file);
    try {
      while (size < wanted) {
        size += writeSync(this.#file, ZEROS);
      }
    } catch {
      this.#failedAt = this.#nowMillis();
      return false;
    }
    this.#budget = Math.min(size - wanted + BYTES_PER_WRITE, WRITES_PER_LOOK * BYTES_PER_WRITE);
    return true;
  }
}
