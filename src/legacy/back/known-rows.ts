import { KeySet } from '../import/key-set.ts';
import { type Batch, GONE, isTaken, type RecordedRow, wasTaken } from '../journal/batch.ts';
import { withTodaysSums } from '../journal/earlier-runs.ts';
import { type AnyRecord, kindOf } from '../records/kinds.ts';
import { type ColumnValues, isSameDigest } from '../records/legacy-record.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { pathsFromHere, reasonAgainstFiles, writeFilesBack } from './back-files.ts';
import {
  type BackState,
  chunks,
  notWritten,
  recordRows,
  reportEmptied,
  reportProposals,
  rowsThere,
} from './back-state.ts';
import { endedTokens, reportAbsent } from './ended-tokens.ts';
import { type Written, withEmptyTexts } from './legacy-writer.ts';

/**
 * Writes back what has become of the rows of one kind that came from the legacy database: changed here, erased, or ended.
 * @returns the keys of all rows that it has found recorded as taken
 */
export async function writeKnown(state: BackState, kind: Kind): Promise<KeySet> {
  const { context } = state;
  const known = new KeySet();
  let done = 0;
  let after: string | undefined;
  for await (const former of context.journal.batches(kind)) {
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
    await context.journal.put({ ...batch, rows });
  }
  reportProposals(state, stored.values());
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
  taken: readonly RecordedRow[],
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
    await update(state, kind, wanted, there);
  }
}

/** True if a row has all values of a record that it has a column for. */
const isRowOf = (
  state: BackState,
  kind: 'accounts' | 'profiles',
  record: AnyRecord,
  row: LegacyRow,
): boolean =>
  Object.entries(valuesOf(state, kind, record, row).values).every(
    ([name, value]) =>
      state.context.source.absent[kind].includes(name) || (row.values[name] ?? null) === value,
  );

/**
 * Treats rows whose records are not here any more. A token has ended: it is revoked there in any case, because that is the safe
 * side. An account is deleted only if it was erased here, with its profile and its tokens; a profile whose account has gone there
 * already, too. Nothing else is deleted.
 * @returns the keys of the rows that the legacy database does not have any more
 */
async function removeThere(
  state: BackState,
  kind: Kind,
  missing: readonly RecordedRow[],
): Promise<ReadonlySet<string>> {
  const gone = new Set<string>();
  const ids = missing.map(({ key }) => key);
  const erased =
    kind === 'tokens' || ids.length === 0 ? new Set() : await state.context.stores.erasures.ids(ids);
  for (const rows of chunks(missing)) {
    const there = await rowsThere(state, kind, rows);
    // The key of a profile is that of its account.
    const accountsThere = kind === 'profiles' ? await rowsThere(state, 'accounts', rows) : there;
    const reasonAgainst = ({ key, sum }: RecordedRow) => {
      if (kind === 'tokens') {
        return undefined;
      }
      if (!erased.has(key)) {
        return 'it is not here, and no erasure says why; it stays there';
      }
      const isUnchanged = kind === 'accounts' && there.get(key)?.sum === sum;
      return isUnchanged || !accountsThere.has(key) ? undefined : 'it was erased here and changed there';
    };
    const existing = rows.filter(({ key }) => there.has(key));
    const removable = existing.filter((row) => reasonAgainst(row) === undefined).map(({ key }) => key);
    for (const row of existing.filter(({ key }) => !removable.includes(key))) {
      notWritten(state, kind, row.key, reasonAgainst(row) ?? '');
    }
    const left = await remove(state, kind, removable);
    for (const { key } of rows) {
      if (!there.has(key) || (removable.includes(key) && !left.has(key))) {
        gone.add(key);
      }
    }
  }
  return gone;
}

/** @returns the keys of the rows that the database does not let go */
async function remove(state: BackState, kind: Kind, keys: readonly string[]): Promise<Set<string>> {
  const { writer, written } = state;
  const left = new Set<string>();
  if (keys.length === 0) {
    return left;
  }
  await writer.transaction(async () => {
    if (kind === 'tokens') {
      await writer.removeTokens(keys);
      return;
    }
    for (const key of keys) {
      const { reason } =
        kind === 'accounts' ? await writer.removeAccount(key) : await writer.remove(kind, key);
      if (reason !== undefined) {
        left.add(key);
        notWritten(state, kind, key, reason);
      }
    }
  });
  written[kind].removed += keys.length - left.size;
  return left;
}

/**
 * Writes records over their rows in one transaction, and remembers the rows as they are then.
 * @param there the rows as they were read, by their keys
 */
export async function update(
  state: BackState,
  kind: 'accounts' | 'profiles',
  records: readonly AnyRecord[],
  there: ReadonlyMap<string, LegacyRow>,
): Promise<void> {
  if (records.length === 0) {
    return;
  }
  const { writer, deferred } = state;
  const digests = new Map<string, string>();
  await writer.transaction(async () => {
    for (const record of records) {
      const { _id: key } = record;
      const { reason, isDuplicate = false } = await updateOne(state, kind, record, there.get(key));
      if (reason === undefined) {
        digests.set(key, kindOf(kind).digestOf(record));
        deferred.delete(key);
      } else if ('emailKey' in record && isDuplicate) {
        deferred.set(key, { account: record, reason });
      } else {
        notWritten(state, kind, key, reason);
      }
    }
  });
  state.written[kind].changed += digests.size;
  await recordRows(state, kind, [...digests.keys()], digests);
}

/**
 * Writes a record over its row. A profile is written with the documents that it has got here.
 * @param row as it was read; undefined if it is gone
 */
export async function updateOne(
  state: BackState,
  kind: 'accounts' | 'profiles',
  record: AnyRecord,
  row: LegacyRow | undefined,
): Promise<Written> {
  const { _id: key } = record;
  const paths = pathsFromHere(kindOf(kind).documentsOf(record));
  const reason = await reasonAgainstFiles(state, paths);
  if (reason !== undefined) {
    return { reason };
  }
  const { values, emptied } = valuesOf(state, kind, record, row);
  const written = await state.writer.update(kind, key, values);
  if (written.reason === undefined) {
    await writeFilesBack(state, paths);
    reportEmptied(state, key, emptied);
  }
  return written;
}

/**
 * The columns of a row that a record has.
 * @returns the names of texts that are empty there because the table requires them, too
 */
function valuesOf(
  { writeTime, required }: BackState,
  kind: 'accounts' | 'profiles',
  record: AnyRecord,
  row: LegacyRow | undefined,
): { values: ColumnValues; emptied: string[] } {
  const values = kindOf(kind).valuesOf(record, writeTime, row);
  return kind === 'profiles' ? withEmptyTexts(values, required.profiles) : { values, emptied: [] };
}
