import type { LegacyDatabase, LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';

/**
 * How many rows are read, inserted and booked together. Four such batches are in memory at a time: twice the rows take 40 MB
 * more.
 */
export const BATCH_ROWS = 1_000;

/**
 * The rows of a kind in the order of their keys. The next page is read while the caller works on one.
 * @param after the key behind which the first page begins; undefined: at the first row
 */
export async function* readPages(
  source: LegacyDatabase,
  kind: Kind,
  after: string | undefined,
): AsyncGenerator<LegacyRow[]> {
  const read = (behind: string | undefined) => {
    const page = source.page(kind, behind, BATCH_ROWS);
    // Awaited later. Until then a failure is not an unhandled rejection.
    page.catch(() => {});
    return page;
  };
  for (let next: Promise<LegacyRow[]> | undefined = read(after); next; ) {
    const rows: LegacyRow[] = await next;
    // `sync` takes rows that are added meanwhile.
    next = rows.length < BATCH_ROWS ? undefined : read(rows.at(-1)?.key);
    if (rows.length > 0) {
      yield rows;
    }
  }
}
