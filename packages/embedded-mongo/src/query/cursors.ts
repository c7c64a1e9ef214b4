import { Long } from 'bson';
import { mongoError } from '../base/errors.ts';
import { MAX_BSON_BYTES } from '../base/limits.ts';
import { slices } from '../base/slices.ts';

/** mongod's time, too, after which it closes an unused cursor. */
const IDLE_MILLIS = 10 * 60 * 1000;

/** The documents of a cursor as bytes. `undefined` is a pause, in which other commands may go first. */
export type DocumentStream = Iterator<Buffer | undefined>;

/** The result of a query, given out in batches. */
export class Cursor {
  readonly #stream: DocumentStream;
  readonly #beforeSlice: () => void;
  #ahead: Buffer | undefined;
  #ended = false;

  /** @param beforeSlice called whenever the cursor starts or continues to read, to refresh its view */
  constructor(
    readonly namespace: string,
    stream: DocumentStream,
    beforeSlice: () => void,
  ) {
    this.#stream = stream;
    this.#beforeSlice = beforeSlice;
  }

  get isExhausted(): boolean {
    return this.#ended && !this.#ahead;
  }

  /** The next documents: at most `count`, and at most 16 MiB together. One document is always allowed. */
  async next(count: number): Promise<Buffer[]> {
    slices.begin();
    this.#beforeSlice();
    const batch: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      // It reads one document ahead, so that no cursor stays open after its last document.
      while (!this.#ahead && !this.#ended) {
        this.#pull();
        if (slices.isOver) {
          await slices.pause();
          this.#beforeSlice();
        }
      }
      if (!this.#ahead || batch.length >= count) {
        return batch;
      }
      if (batch.length > 0 && bytes + this.#ahead.length > MAX_BSON_BYTES) {
        return batch;
      }
      batch.push(this.#ahead);
      bytes += this.#ahead.length;
      this.#ahead = undefined;
    }
  }

  /** Reads the next document, if there is one and no pause before it. */
  #pull(): void {
    const { value, done = false } = this.#stream.next();
    this.#ahead = value;
    this.#ended = done;
  }

  close(): void {
    this.#stream.return?.();
  }
}

interface OpenCursor {
  cursor: Cursor;
  usedAt: number;
}

/** The open cursors of all connections. */
export class CursorRegistry {
  readonly #open = new Map<string, OpenCursor>();
  #lastId = BigInt(Date.now()) << 20n;

  /** Keeps a cursor and gives its id. */
  add(cursor: Cursor): Long {
    const id = ++this.#lastId;
    this.#open.set(String(id), { cursor, usedAt: performance.now() });
    return Long.fromBigInt(id);
  }

  /** @throws CommandError CursorNotFound (43), or Unauthorized (13) if the cursor belongs to another collection */
  get(id: unknown, namespace: string): Cursor {
    const entry = this.#open.get(String(id));
    if (!entry) {
      throw mongoError('CursorNotFound', `cursor id ${id} not found`);
    }
    if (entry.cursor.namespace !== namespace) {
      throw mongoError('Unauthorized', `the cursor belongs to ${entry.cursor.namespace}, not ${namespace}`);
    }
    entry.usedAt = performance.now();
    return entry.cursor;
  }

  /** Closes a cursor. False if it does not exist. */
  kill(id: unknown): boolean {
    this.#open.get(String(id))?.cursor.close();
    return this.#open.delete(String(id));
  }

  /** Closes the cursors that were not used for ten minutes. */
  sweep(): void {
    for (const [id, { usedAt }] of this.#open) {
      if (usedAt < performance.now() - IDLE_MILLIS) {
        this.kill(id);
      }
    }
  }
}
