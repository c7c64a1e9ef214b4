/** The result of a search for orphans. */
export interface Found {
  /** How many were old enough to be judged. */
  examined: number;
  /** The ids of those that no account owns. */
  orphans: string[];
}

/** One kind of thing that a registration makes before its account exists, and that a crash may leave behind. */
export interface Sweepable {
  /** For people, in the singular. */
  kind: string;
  /**
   * Looks for orphans, up to {@link MAX_AT_ONCE}.
   * @param before only older things are judged: younger ones may belong to a registration that is still running
   * @param signal ends the search early; the result is what was found until then
   */
  find(before: Date, signal?: AbortSignal): Promise<Found>;
  /**
   * Removes an orphan, unless it turns out to be owned after all. False: it was, or it is a record that is gone already.
   * Of a file no store tells: sweeps that run at the same time may both count it.
   */
  remove(id: string): Promise<boolean>;
}

/** As many as one sweep removes of one kind; the next one goes on. Bounds the memory that a sweep takes. */
const MAX_AT_ONCE = 10_000;

/** Judges things batch by batch. */
export async function judge<T>(
  batches: AsyncIterable<T[]>,
  orphansOf: (batch: T[]) => Promise<string[]>,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const found: Found = { examined: 0, orphans: [] };
  for await (const batch of batches) {
    found.examined += batch.length;
    found.orphans.push(...(await orphansOf(batch)));
    if (signal?.aborted || found.orphans.length >= MAX_AT_ONCE) {
      break;
    }
  }
  return found;
}

/** Gathers single things into batches. */
export async function* inBatches<T>(things: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const thing of things) {
    batch.push(thing);
    if (batch.length < size) {
      continue;
    }
    yield batch;
    batch = [];
  }
  if (batch.length > 0) {
    yield batch;
  }
}
