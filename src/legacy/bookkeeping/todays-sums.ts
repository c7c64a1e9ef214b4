import type { LegacyContext } from '../legacy-context.ts';
import type { LegacyDatabase } from '../source/legacy-database.ts';
import { isTodaysForm } from '../source/legacy-sql.ts';
import { KINDS } from '../source/legacy-tables.ts';
import type { Batch } from './batch.ts';

/**
 * A batch of an earlier version with sums of today's form. A row that has changed since keeps its former sum, which is no sum of
 * today, so that it is found to be changed.
 * @param after the last key of the batch before
 */
export async function withTodaysSums(
  source: LegacyDatabase,
  batch: Batch,
  after: string | undefined,
): Promise<Batch> {
  const { form } = batch;
  if (batch.kind === 'files' || form === undefined || isTodaysForm(batch.kind, form)) {
    return batch;
  }
  const { kind } = batch;
  const today = await source.sums(kind, after, batch.upTo);
  // Read last: a row that changes between the two then has another former sum than the one that is remembered.
  const former = await source.sums(kind, after, batch.upTo, form);
  const rows = batch.rows.map((row) =>
    former.get(row.key) === row.sum ? { ...row, sum: today.get(row.key) ?? row.sum } : row,
  );
  return { ...batch, rows };
}

/** Brings the batches of earlier versions to today's form. The next `sync` looks at each of their rows once. */
export async function renewSums({ bookkeeping, source }: LegacyContext): Promise<void> {
  for (const kind of KINDS) {
    const ranges = await bookkeeping.ranges(kind);
    for (const [index, { number, form }] of ranges.entries()) {
      const batch = isTodaysForm(kind, form) ? undefined : await bookkeeping.batch(kind, number);
      if (batch) {
        const renewed = await withTodaysSums(source, batch, ranges[index - 1]?.upTo);
        await bookkeeping.put({ ...renewed, isOpen: true });
      }
    }
  }
}
