import type { LegacyContext } from '../legacy-context.ts';
import { kindOf } from '../records/kinds.ts';
import type { LegacyDatabase } from '../source/legacy-database.ts';
import { isTodaysForm } from '../source/legacy-sql.ts';
import { KINDS, type Kind } from '../source/legacy-tables.ts';
import type { Batch } from './batch.ts';

/**
 * Remembers rows whose records a killed command has stored without remembering them. Their rows may be gone by now: without this,
 * nobody would know that the records came from there.
 * @param run makes a batch for rows behind the last one
 * @param kinds those of which all other rows are remembered
 */
export async function rememberNotedInserts(
  { journal, stores }: LegacyContext,
  run: string,
  kinds: readonly Kind[] = KINDS,
): Promise<void> {
  for (const kind of kinds) {
    const noted = await journal.notes.notedInserts(kind);
    if (noted.length === 0) {
      continue;
    }
    const keys = noted.map(({ key }) => key);
    const stored = await kindOf(kind).stored(stores).byIds(keys);
    const known = await journal.takenOf(kind, keys);
    const left = noted.filter(({ key }) => stored.has(key) && !known.has(key));
    if (kind === 'accounts' && left.length > 0) {
      // Rows that were read without their account wait for it. It may return there before a round sees that it was gone.
      await journal.notes.noteChangedAccounts();
    }
    await journal.recordRows(kind, left, run);
    await journal.notes.forgetInserts(kind);
  }
}

/** The place of the notes of killed commands, away from those of the batches that are stored again. */
const FORMER = -1;

/** Keeps the notes of a killed command until {@link rememberNotedInserts}, although its batches are stored again. */
export async function keepNotedInserts({ journal }: LegacyContext): Promise<void> {
  for (const kind of KINDS) {
    const noted = await journal.notes.notedInserts(kind);
    if (noted.length > 0) {
      await journal.notes.noteInserts(kind, FORMER, noted);
    }
  }
}

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
export async function renewSums({ journal, source }: LegacyContext): Promise<void> {
  for (const kind of KINDS) {
    const ranges = await journal.ranges(kind);
    for (const [index, { number, form }] of ranges.entries()) {
      const batch = isTodaysForm(kind, form) ? undefined : await journal.batch(kind, number);
      if (batch) {
        const renewed = await withTodaysSums(source, batch, ranges[index - 1]?.upTo);
        await journal.put({ ...renewed, isOpen: true });
      }
    }
  }
}

/** Finishes the removals of profiles and documents that a kill of an earlier command has interrupted. */
export async function finishRemovals({
  stores,
  documents,
}: Pick<LegacyContext, 'stores' | 'documents'>): Promise<void> {
  for (const id of await stores.doctors.unfinishedRemovals()) {
    await stores.doctors.finishRemoval(id, documents);
  }
}
