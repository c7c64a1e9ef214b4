import { type BookedRow, GONE, wasTaken } from '../bookkeeping/booked-row.ts';
import { storedWithIds } from '../records/stored-records.ts';
import type { Kind } from '../source/legacy-tables.ts';
import type { Round } from './round.ts';

/**
 * Treats rows that the legacy database does not have any more. Tokens are revoked, accounts are marked by now, and profiles stay.
 * Rows that have gone since the survey are left to the next round.
 * @param booked is brought up to date
 */
export async function treatGone(
  round: Round,
  kind: Kind,
  rows: readonly BookedRow[],
  booked: Map<string, BookedRow>,
): Promise<void> {
  for (const { key } of rows.filter((row) => !wasTaken(row))) {
    booked.delete(key);
  }
  const gone = rows.filter(
    (row) => wasTaken(row) && round.surveys[kind].gone.has(row.key) && row.sum !== GONE,
  );
  const stored = await storedWithIds(
    round.context.models,
    kind,
    gone.map(({ key }) => key),
  );
  if (kind === 'tokens') {
    await revoke(round, [...stored.keys()]);
  }
  for (const row of gone) {
    const record = stored.get(row.key);
    if (kind === 'tokens' && record) {
      booked.delete(row.key);
    } else if (kind !== 'accounts' || !record || 'legacyAbsence' in record) {
      // What has ended or was erased here is not taken again if the row returns.
      booked.set(row.key, { ...row, sum: GONE });
    }
  }
  if (kind === 'profiles') {
    await reportKept(round, [...stored.keys()]);
  }
}

/** A token that was revoked there is revoked here in any case. */
async function revoke({ context, changes }: Round, ids: string[]): Promise<void> {
  if (ids.length > 0) {
    const { deletedCount } = await context.models.tokens.deleteMany({ _id: { $in: ids } });
    changes.tokens.removed += deletedCount;
  }
}

/** A profile whose account has gone, too, stays with it, and that is reported with the account. */
async function reportKept({ context: { source, observer } }: Round, ids: readonly string[]): Promise<void> {
  for (const { key: id } of await source.rows('accounts', ids)) {
    observer.found({ kind: 'profiles', id, outcome: 'kept', reason: 'it was deleted there; it stays here' });
  }
}
