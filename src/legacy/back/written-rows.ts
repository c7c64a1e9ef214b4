import { type AnyRecord, kindOf } from '../records/kinds.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { type BackState, bookRows, notWritten } from './back-state.ts';

/**
 * Writes records over their rows in one transaction, and remembers the rows as they are then.
 * @param before runs first in the transaction
 */
export async function update(
  state: BackState,
  kind: 'accounts' | 'profiles',
  records: readonly AnyRecord[],
  before: () => Promise<void> = async () => {},
): Promise<void> {
  const { writer, writeTime, deferred } = state;
  const recordKind = kindOf(kind);
  if (state.isDryRun || records.length === 0) {
    state.written[kind].changed += records.length;
    return;
  }
  const digests = new Map<string, string>();
  await writer.transaction(async () => {
    await before();
    for (const record of records) {
      const { _id: key } = record;
      const { reason, isDuplicate = false } = await writer.update(
        kind,
        key,
        recordKind.valuesOf(record, writeTime),
      );
      if (reason === undefined) {
        digests.set(key, recordKind.digestOf(record));
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
