/** A record that belongs to an account. */
export interface OwnedRecord {
  _id: string;
  accountId: string;
}

/** The size of a batch. A large collection is never in memory as a whole. */
export const BATCH_SIZE = 200;

/** An imported record may have no time. */
export type DatedRecord = OwnedRecord & { createdAt?: Date | null | undefined };

/**
 * The records of a collection that were created before a moment, in batches in the order of ids. Each is a query of its own, so no
 * cursor stays open between them. The records that are not that old are read, too: if there are very many of them, a query without
 * them would take too long.
 * @param next finds the next {@link BATCH_SIZE} records after an id
 */
export async function* batchesBefore(
  moment: Date,
  next: (lastId: string) => Promise<DatedRecord[]>,
): AsyncGenerator<OwnedRecord[]> {
  for (let lastId = ''; ; ) {
    const batch = await next(lastId);
    yield batch.filter(({ createdAt }) => createdAt instanceof Date && createdAt < moment);
    if (batch.length < BATCH_SIZE) {
      return;
    }
    lastId = batch.at(-1)?._id ?? '';
  }
}
