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
 * Reads records in pages, in the order of their ids. Each page is a query of its own, so no cursor stays open between them.
 * @param next the first records after an id
 * @param size how many that are; a shorter page is the last one
 */
export async function* pagesById<T extends { _id: string }>(
  next: (lastId: string) => Promise<T[]>,
  size = PAGE_SIZE,
): AsyncGenerator<T[]> {
  let page: T[] = [];
  do {
    page = await next(page.at(-1)?._id ?? '');
    yield page;
  } while (page.length === size);
}

/**
 * Reads the records that were created before a moment. The newer records are read, too: if there are very many of them, a query
 * without them would take too long.
 * @param next the first {@link PAGE_SIZE} records after an id
 */
export async function* pagesBefore(
  moment: Date,
  next: (lastId: string) => Promise<DatedRecord[]>,
): AsyncGenerator<OwnedRecord[]> {
  for await (const page of pagesById(next)) {
    yield page.filter(({ createdAt }) => createdAt instanceof Date && createdAt < moment);
  }
}
