/** The result of a search for orphans. */
export interface Found {
  /** How many were old enough to be checked. */
  examined: number;
  /** The ids of those that belong to no account. */
  orphans: string[];
}

/** One kind of file or record that a registration makes before its account exists. A crash may leave it behind. */
export interface Sweepable {
  /** The name of the kind for people, in the singular. */
  kind: string;
  /**
   * Looks for orphans, up to {@link MAX_ORPHANS}.
   * @param before only older ones are checked: younger ones may belong to a registration that is still running
   * @param signal ends the search early; the result has the orphans that were found until then
   */
  find(before: Date, signal?: AbortSignal): Promise<Found>;
  /**
   * Removes an orphan, unless it has an owner by now.
   * @returns false if it has an owner, or is a record that no longer exists. Stores do not report whether a file existed,
   *   so two simultaneous sweeps may both count it
   */
  remove(id: string): Promise<boolean>;
}

/** How many orphans of a kind one sweep removes; the next sweep continues. It bounds the memory of a sweep. */
const MAX_ORPHANS = 10_000;

/** Checks batches of files or records for orphans. */
export async function collectOrphans<T>(
  batches: AsyncIterable<T[]>,
  orphansOf: (batch: T[]) => Promise<string[]>,
  signal: AbortSignal | undefined,
): Promise<Found> {
  const found: Found = { examined: 0, orphans: [] };
  for await (const batch of batches) {
    found.examined += batch.length;
    found.orphans.push(...(await orphansOf(batch)));
    if (signal?.aborted || found.orphans.length >= MAX_ORPHANS) {
      break;
    }
  }
  return found;
}

/** Groups single items into batches. */
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
