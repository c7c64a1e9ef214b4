import type { Batch } from '../bookkeeping/batch.ts';
import { type BookedRow, GONE, isTaken, wasTaken } from '../bookkeeping/booked-row.ts';
import { withTodaysSums } from '../bookkeeping/todays-sums.ts';
import { KeySet } from '../import/key-set.ts';
import { type AnyRecord, kindOf } from '../records/kinds.ts';
import { isSameDigest } from '../records/legacy-record.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { type BackState, chunks, notWritten } from './back-state.ts';
import { endedTokens, reportAbsent } from './ended-tokens.ts';
import { removeThere } from './removed-records.ts';
import { rowsThere, update, valuesOf } from './written-rows.ts';

/**
 * Writes back what has become of the rows of one kind that came from the legacy database: changed here, erased, or ended.
 * @returns the keys of all rows that it has found booked as taken
 */
export async function writeKnown(state: BackState, kind: Kind): Promise<KeySet> {
  const { context } = state;
  const known = new KeySet();
  let done = 0;
  let after: string | undefined;
  for await (const former of context.bookkeeping.batches(kind)) {
    context.signal.throwIfAborted();
    const batch = await withTodaysSums(context.source, former, after);
    after = batch.upTo;
    await writeBatch(state, kind, batch, known);
    done += batch.rows.length;
    context.observer.progress(kind, done, undefined);
  }
  return known;
}

async function writeBatch(state: BackState, kind: Kind, batch: Batch, known: KeySet): Promise<void> {
  const { context, isDryRun } = state;
  for (const { key } of batch.rows.filter(wasTaken)) {
    known.add(key);
  }
  const taken = batch.rows.filter(isTaken);
  const stored = await kindOf(kind)
    .stored(context.stores)
    .byIds(taken.map(({ key }) => key));
  const tokens = [...stored.values()].filter((record) => 'secretHash' in record);
  const ended = await endedTokens(state, tokens);
  const missing = taken.filter(({ key }) => !stored.has(key) || ended.has(key));
  const gone = await removeThere(state, kind, missing);
  if (gone.size > 0 && !isDryRun) {
    // What has ended here stays ended, also if the row returns there.
    const rows = batch.rows.map((row) => (gone.has(row.key) ? { ...row, sum: GONE } : row));
    await context.bookkeeping.put({ ...batch, rows });
  }
  if (kind === 'tokens') {
    await reportAbsent(
      state,
      tokens.filter(({ _id }) => !ended.has(_id)),
    );
  } else {
    await changeThere(state, kind, taken, stored);
  }
}

async function changeThere(
  state: BackState,
  kind: 'accounts' | 'profiles',
  taken: readonly BookedRow[],
  stored: ReadonlyMap<string, AnyRecord>,
): Promise<void> {
  const recordKind = kindOf(kind);
  const changed = taken.filter(({ key, digest }) => {
    const record = stored.get(key);
    // The legacy service does not have a marked account any more, so there is nothing to change there.
    return record && !isSameDigest(recordKind.digestOf(record), digest) && !recordKind.isMarked(record);
  });
  for (const rows of chunks(changed)) {
    const there = await rowsThere(state, kind, rows);
    const wanted = rows.flatMap(({ key, sum }) => {
      const row = there.get(key);
      const record = stored.get(key);
      // A run that was killed may have written it, without remembering that.
      const isWritten = row !== undefined && record !== undefined && isRowOf(state, kind, record, row);
      if (row?.sum !== sum && !isWritten) {
        notWritten(state, kind, key, 'it was changed on both sides');
        return [];
      }
      return record ? [record] : [];
    });
    await update(state, kind, wanted);
  }
}

/** True if a row has all values of a record. */
const isRowOf = (
  state: BackState,
  kind: 'accounts' | 'profiles',
  record: AnyRecord,
  row: LegacyRow,
): boolean =>
  Object.entries(valuesOf(state, kind, record).values).every(
    ([name, value]) => (row.values[name] ?? null) === value,
  );
