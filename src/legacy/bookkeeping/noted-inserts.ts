import type { LegacyContext } from '../legacy-context.ts';
import { kindOf } from '../records/kinds.ts';
import { KINDS } from '../source/legacy-tables.ts';
import { bookWritten } from './book-written.ts';
import type { BookedRow } from './booked-row.ts';

/**
 * Remembers rows whose records a killed command has stored without remembering them. Their rows may be gone by now: without this,
 * nobody would know that the records came from there.
 * @param run makes a batch for rows behind the last one
 */
export async function rememberNotedInserts(
  { bookkeeping, stores }: LegacyContext,
  run: string,
): Promise<void> {
  for (const kind of KINDS) {
    const noted = await bookkeeping.notes.notedInserts(kind);
    if (noted.length === 0) {
      continue;
    }
    const keys = noted.map(({ key }) => key);
    const stored = await kindOf(kind).stored(stores).byIds(keys);
    const known = await bookkeeping.takenOf(kind, keys);
    const isLeft = ({ key }: BookedRow) => stored.has(key) && !known.has(key);
    await bookWritten(bookkeeping, kind, noted.filter(isLeft), run);
    await bookkeeping.notes.forgetInserts(kind);
  }
}

/** The place of the notes of killed commands, away from those of the batches that are stored again. */
const FORMER = -1;

/** Keeps the notes of a killed command until {@link rememberNotedInserts}, although its batches are stored again. */
export async function keepNotedInserts({ bookkeeping }: LegacyContext): Promise<void> {
  for (const kind of KINDS) {
    const noted = await bookkeeping.notes.notedInserts(kind);
    if (noted.length > 0) {
      await bookkeeping.notes.noteInserts(kind, FORMER, noted);
    }
  }
}
