import { Long } from 'bson';
import { mongoError } from '../base/errors.ts';
import { MAX_BSON_BYTES } from '../wire/wire.ts';

/** As mongod: a cursor nobody reads goes after ten minutes. */
const IDLE_MILLISECONDS = 10 * 60 * 1000;
/** A scan lets other commands go first after this long. */
const SLICE_MILLISECONDS = 10;

/** What a cursor gives: stored or computed documents as bytes, undefined for a pause. */
export type DocumentStream = Iterator<Buffer | undefined>;

/** A result set that is handed out in batches. */
export class Cursor {
  private ahead: Buffer | undefined;
  private ended = false;
  private sliceEnd = 0;

  constructor(
    readonly namespace: string,
    private readonly stream: DocumentStream,
    private readonly beforeSlice: () => void,
  ) {}

  get isExhausted(): boolean {
    return this.ended && !this.ahead;
  }

  /** The next documents: at most `count`, and at most 16 MiB together, but one in any case. */
  async next(count: number): Promise<Buffer[]> {
    this.startSlice();
    const batch: Buffer[] = [];
    let bytes = 0;
    for (;;) {
      // One document is read ahead: a cursor is never left open for a client that has seen everything.
      this.ahead ??= await this.pull();
      if (!this.ahead || batch.length >= count) return batch;
      if (batch.length > 0 && bytes + this.ahead.length > MAX_BSON_BYTES) return batch;
      batch.push(this.ahead);
      bytes += this.ahead.length;
      this.ahead = undefined;
    }
  }

  private async pull(): Promise<Buffer | undefined> {
    while (!this.ended) {
      const { value, done } = this.stream.next();
      if (done) this.ended = true;
      if (done || value) return value;
      if (performance.now() < this.sliceEnd) continue;
      await new Promise((resolve) => setImmediate(resolve));
      this.startSlice();
    }
    return undefined;
  }

  private startSlice(): void {
    this.beforeSlice();
    this.sliceEnd = performance.now() + SLICE_MILLISECONDS;
  }

  close(): void {
    this.stream.return?.();
  }
}

interface OpenCursor {
  cursor: Cursor;
  usedAt: number;
}

/** The open cursors of all connections. */
export class CursorRegistry {
  private readonly open = new Map<string, OpenCursor>();
  private lastId = BigInt(Date.now()) << 20n;

  /** Keeps a cursor that has more to give; answers its id. */
  add(cursor: Cursor): Long {
    const id = ++this.lastId;
    this.open.set(String(id), { cursor, usedAt: performance.now() });
    return Long.fromBigInt(id);
  }

  /** @throws CommandError CursorNotFound (43), or when the cursor belongs to another collection */
  get(id: unknown, namespace: string): Cursor {
    const entry = this.open.get(String(id));
    if (!entry) throw mongoError('CursorNotFound', `cursor id ${id} not found`);
    if (entry.cursor.namespace !== namespace) {
      const message = `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${entry.cursor.namespace}`;
      throw mongoError('Unauthorized', message);
    }
    entry.usedAt = performance.now();
    return entry.cursor;
  }

  /** Whether there was such a cursor. */
  kill(id: unknown): boolean {
    this.open.get(String(id))?.cursor.close();
    return this.open.delete(String(id));
  }

  /** Ends cursors that nobody has read for ten minutes. */
  sweep(): void {
    for (const [id, { usedAt }] of this.open)
      if (usedAt < performance.now() - IDLE_MILLISECONDS) this.kill(id);
  }
}
