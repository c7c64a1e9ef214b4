/** A record that belongs to an account. */
export interface OwnedRecord {
  _id: string;
  accountId: string;
}

/** An imported record may have no time. */
export type DatedRecord = OwnedRecord & { createdAt?: Date | null | undefined };

/** How many records are read at a time. A large collection is never in memory as a whole. */
export const PAGE_SIZE = 200;

/**
 * Reads the records that were created before a moment, in the order of ids. Each page is a query of its own, so no cursor stays
 * open between them. The newer records are read, too: if there are very many of them, a query without them would take too long.
 * @param next the first {@link PAGE_SIZE} records after an id
 */
export async function* pagesBefore(
  moment: Date,
  next: (lastId: string) => Promise<DatedRecord[]>,
): AsyncGenerator<OwnedRecord[]> {
  for (let lastId = ''; ; ) {
    const page = await next(lastId);
    yield page.filter(({ createdAt }) => createdAt instanceof Date && createdAt < moment);
    if (page.length < PAGE_SIZE) {
      return;
    }
    lastId = page.at(-1)?._id ?? '';
  }
}
