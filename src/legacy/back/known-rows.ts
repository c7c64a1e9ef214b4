import { type Batch, type BookedRow, NOT_TAKEN } from '../bookkeeping/bookkeeping.ts';
import { KeySet } from '../import/key-set.ts';
import { type AnyRecord, recordKindOf, storedWithIds } from '../records/stored-records.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { type BackState, bookRows, chunks, notWritten } from './back-state.ts';
import { withFilesThere } from './changed-files.ts';
import { accountValues, profileValues } from './legacy-values.ts';
import type { ColumnValues } from './legacy-writer.ts';

/**
 * Writes back what has become of the rows of one kind that came from the legacy database: changed here, or removed here.
 * @returns the keys of all rows that it has found booked as taken
 */
export async function writeKnown(state: BackState, kind: Kind): Promise<KeySet> {
  const { context } = state;
  const known = new KeySet();
  let done = 0;
  for await (const batch of context.bookkeeping.batches(kind)) {
    context.signal.throwIfAborted();
    const taken = batch.rows.filter(({ digest }) => digest !== NOT_TAKEN);
    for (const { key } of taken) {
      known.add(key);
    }
    const stored = await storedWithIds(
      context.models,
      kind,
      taken.map(({ key }) => key),
    );
    await removeThere(
      state,
      batch,
      taken.filter(({ key }) => !stored.has(key)),
    );
    if (kind !== 'tokens') {
      await changeThere(state, kind, taken, stored);
    }
    done += batch.rows.length;
    context.observer.progress(kind, done, undefined);
  }
  return known;
}

/** Deletes rows whose records were removed here, unless they were changed there. */
async function removeThere(state: BackState, batch: Batch, gone: readonly BookedRow[]): Promise<void> {
  const { context, writer } = state;
  const kind = batch.kind as Kind;
  const left = new Map(batch.rows.map((row) => [row.key, row]));
  for (const rows of chunks(gone)) {
    const there = await rowsThere(state, kind, rows);
    // A token that was revoked here is revoked there, even if it was used there since.
    const isWanted = (row: BookedRow) => kind === 'tokens' || there.get(row.key)?.sum === row.sum;
    const keys = rows.filter((row) => there.has(row.key) && isWanted(row)).map(({ key }) => key);
    for (const row of rows.filter((one) => there.has(one.key) && !isWanted(one))) {
      notWritten(state, kind, row.key, 'it was removed here and changed there');
    }
    state.written[kind].removed += keys.length;
    if (keys.length > 0 && !state.isDryRun) {
      await writer.transaction(async () => {
        if (kind === 'accounts') {
          await writer.removeTokensOf(keys);
        }
        await writer.remove(kind, keys);
      });
    }
    for (const { key } of rows) {
      if (keys.includes(key) || !there.has(key)) {
        left.delete(key);
      }
    }
  }
  if (left.size < batch.rows.length && !state.isDryRun) {
    await context.bookkeeping.put({ ...batch, rows: [...left.values()] });
  }
}

async function changeThere(
  state: BackState,
  kind: 'accounts' | 'profiles',
  taken: readonly BookedRow[],
  stored: ReadonlyMap<string, AnyRecord>,
): Promise<void> {
  const { digestOf } = recordKindOf(kind);
  const changed = taken.filter(({ key, digest }) => {
    const record = stored.get(key);
    return record !== undefined && digestOf(record) !== digest;
  });
  for (const rows of chunks(changed)) {
    const there = await rowsThere(state, kind, rows);
    const wanted = rows.filter(({ key, sum }) => {
      const isUnchanged = there.get(key)?.sum === sum;
      if (!isUnchanged) {
        notWritten(state, kind, key, 'it was changed on both sides');
      }
      return isUnchanged;
    });
    await update(state, kind, await withFilesThere(state, kind, wanted, stored), stored);
  }
}

async function update(
  state: BackState,
  kind: 'accounts' | 'profiles',
  rows: readonly BookedRow[],
  stored: ReadonlyMap<string, AnyRecord>,
): Promise<void> {
  const { writer } = state;
  if (state.isDryRun || rows.length === 0) {
    state.written[kind].changed += rows.length;
    return;
  }
  const digests = new Map<string, string>();
  await writer.transaction(async () => {
    for (const { key } of rows) {
      const record = stored.get(key) as AnyRecord;
      const { reason } = await writer.update(kind, key, valuesOf(state, kind, record));
      if (reason === undefined) {
        digests.set(key, recordKindOf(kind).digestOf(record));
      } else {
        notWritten(state, kind, key, reason);
      }
    }
  });
  state.written[kind].changed += digests.size;
  await bookRows(state, kind, [...digests.keys()], digests);
}

function valuesOf({ writeTime }: BackState, kind: 'accounts' | 'profiles', record: AnyRecord): ColumnValues {
  if (kind === 'profiles') {
    return profileValues(record as never, writeTime);
  }
  const { password, ...values } = accountValues(record as never, writeTime);
  // The hash that a login here has replaced still fits, and is in the form that the legacy service is set to.
  const isUpgraded = 'upgradedFrom' in record && record.upgradedFrom !== undefined;
  return isUpgraded ? values : { ...values, password: password ?? null };
}

async function rowsThere(
  { context }: BackState,
  kind: Kind,
  rows: readonly BookedRow[],
): Promise<Map<string, LegacyRow>> {
  const there = await context.source.rows(
    kind,
    rows.map(({ key }) => key),
  );
  return new Map(there.map((row) => [row.key, row]));
}
