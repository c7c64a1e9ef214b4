import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How often it is looked whether there is room again. */
const PROBE_INTERVAL_MILLISECONDS = 500;
/** More than the pages that a commit of one message changes, so that what is tried next does not fail half-way. */
const PROBE = Buffer.alloc(1024 * 1024);

/**
 * Whether the disk has room, once a commit has failed for want of it. LMDB is not asked to find that out: each commit that
 * it cannot write costs it memory that it frees twice, and some dozens of them end the process (lmdb 3.5).
 */
export class DiskRoom {
  #isFull = false;
  #askedAt = 0;

  constructor(private readonly folder: string) {}

  /** To be told when a commit has failed for want of room. */
  noteFull(): void {
    this.#isFull = true;
    this.#askedAt = performance.now();
  }

  /** True from then on until a file could be written again. */
  isFull(): boolean {
    if (!this.#isFull || performance.now() - this.#askedAt < PROBE_INTERVAL_MILLISECONDS) return this.#isFull;
    this.#askedAt = performance.now();
    this.#isFull = !canWrite(join(this.folder, 'room'));
    return this.#isFull;
  }
}

function canWrite(file: string): boolean {
  try {
    writeFileSync(file, PROBE, { mode: 0o600 });
    return true;
  } catch {
    return false;
  } finally {
    rmSync(file, { force: true });
  }
}
