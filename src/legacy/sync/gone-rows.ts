import { type BookedRow, GONE, WAITING, wasTaken } from '../bookkeeping/booked-row.ts';
import { kindOf } from '../records/kinds.ts';
import type { Kind } from '../source/legacy-tables.ts';
import type { Round } from './round.ts';
import { removeTokens } from './store-rows.ts';
import type { BookedBatch } from './work.ts';

/**
 * Treats rows that the legacy database does not have any more. Tokens are revoked, accounts are marked by now, and profiles stay.
 * Rows that were taken and have gone since the survey are left to the next round.
 */
export async function treatGone(
  round: Round,
  kind: Kind,
  rows: readonly BookedRow[],
  batch: BookedBatch,
): Promise<void> {
  const { booked } = batch;
  const isDue = (row: BookedRow) =>
    !wasTaken(row) || (round.surveys[kind].gone.has(row.key) && row.sum !== GONE);
  const gone = rows.filter(isDue);
  const recordKind = kindOf(kind);
  const stored = await recordKind.stored(round.context.stores).byIds(gone.map(({ key }) => key));
  for (const row of gone) {
    const record = stored.get(row.key);
    if (kind === 'tokens' && record) {
      // A token that is revoked there is revoked here in any case. It may return with its row.
      booked.set(row.key, { ...row, digest: WAITING });
    } else if (!wasTaken(row)) {
      booked.delete(row.key);
    } else if (kind !== 'accounts' || !record || recordKind.isMarked(record)) {
      // What has ended or was erased here is not taken again if the row returns.
      booked.set(row.key, { ...row, sum: GONE });
    }
  }
  if (kind === 'tokens') {
    await removeTokens(round, [...stored.keys()], batch);
    for (const id of stored.keys()) {
      booked.delete(id);
    }
  }
  if (kind === 'profiles') {
    await reportKept(round, [...stored.keys()]);
  }
}

/** A profile whose account has gone, too, stays with it, and that is reported with the account. */
async function reportKept({ context: { source, observer } }: Round, ids: readonly string[]): Promise<void> {
  for (const { key: id } of await source.rows('accounts', ids)) {
    observer.found({ kind: 'profiles', id, outcome: 'kept', reason: 'it was deleted there; it stays here' });
  }
}
