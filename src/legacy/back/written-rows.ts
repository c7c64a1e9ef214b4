import { type AnyRecord, kindOf } from '../records/kinds.ts';
import type { ColumnValues } from '../records/legacy-record.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { pathsFromHere, reasonAgainstFiles, writeFilesBack } from './back-files.ts';
import { type BackState, bookRows, notWritten, reportEmptied } from './back-state.ts';
import type { Written } from './legacy-writer.ts';
import { withEmptyTexts } from './required-columns.ts';

/** Writes records over their rows in one transaction, and remembers the rows as they are then. */
export async function update(
  state: BackState,
  kind: 'accounts' | 'profiles',
  records: readonly AnyRecord[],
): Promise<void> {
  if (records.length === 0) {
    return;
  }
  const { writer, deferred } = state;
  const digests = new Map<string, string>();
  await writer.transaction(async () => {
    for (const record of records) {
      const { _id: key } = record;
      const { reason, isDuplicate = false } = await updateOne(state, kind, record);
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
  await bookRows(state, kind, [...digests.keys()], digests);
}

/** Writes a record over its row. A profile is written with the documents that it has got here. */
export async function updateOne(
  state: BackState,
  kind: 'accounts' | 'profiles',
  record: AnyRecord,
): Promise<Written> {
  const { _id: key } = record;
  const paths = pathsFromHere(kindOf(kind).documentsOf(record));
  const reason = await reasonAgainstFiles(state, paths);
  if (reason !== undefined) {
    return { reason };
  }
  const { values, emptied } = valuesOf(state, kind, record);
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
export function valuesOf(
  { writeTime, required }: BackState,
  kind: 'accounts' | 'profiles',
  record: AnyRecord,
): { values: ColumnValues; emptied: string[] } {
  const values = kindOf(kind).valuesOf(record, writeTime);
  return kind === 'profiles' ? withEmptyTexts(values, required.profiles) : { values, emptied: [] };
}

/** The rows with these keys as the legacy database has them now. */
export async function rowsThere(
  { context }: BackState,
  kind: Kind,
  rows: readonly { key: string }[],
): Promise<Map<string, LegacyRow>> {
  const there = await context.source.rows(
    kind,
    rows.map(({ key }) => key),
  );
  return new Map(there.map((row) => [row.key, row]));
}
