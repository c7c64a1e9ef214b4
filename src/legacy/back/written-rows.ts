import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import { type AnyRecord, recordKindOf } from '../records/stored-records.ts';
import type { LegacyRow } from '../source/legacy-database.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { type BackState, bookRows, notWritten } from './back-state.ts';
import { accountValues, profileValues } from './legacy-values.ts';
import type { ColumnValues } from './legacy-writer.ts';

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
  const { writer, deferred } = state;
  if (state.isDryRun || records.length === 0) {
    state.written[kind].changed += records.length;
    return;
  }
  const digests = new Map<string, string>();
  await writer.transaction(async () => {
    await before();
    for (const record of records) {
      const { _id: key } = record;
      const { reason, isDuplicate = false } = await writer.update(kind, key, valuesOf(state, kind, record));
      if (reason === undefined) {
        digests.set(key, recordKindOf(kind).digestOf(record));
        deferred.delete(key);
      } else if (kind === 'accounts' && isDuplicate) {
        deferred.set(key, { account: record as StoredAccount, reason });
      } else {
        notWritten(state, kind, key, reason);
      }
    }
  });
  state.written[kind].changed += digests.size;
  await bookRows(state, kind, [...digests.keys()], digests);
}

/** The columns of a row that a record has. */
export function valuesOf(
  { writeTime }: BackState,
  kind: 'accounts' | 'profiles',
  record: AnyRecord,
): ColumnValues {
  if (kind === 'profiles') {
    return profileValues(record as never, writeTime);
  }
  const { password, ...values } = accountValues(record as never, writeTime);
  // The hash that a login here has replaced still fits, and is in the form that the legacy service is set to.
  const isUpgraded = 'upgradedFrom' in record && record.upgradedFrom !== undefined;
  return isUpgraded ? values : { ...values, password: password ?? null };
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
