import type { BookedRow } from '../bookkeeping/bookkeeping.ts';
import { NOT_TAKEN } from '../bookkeeping/bookkeeping.ts';
import { recordKindOf, storedWithIds } from '../records/stored-records.ts';
import type { Kind } from '../source/legacy-tables.ts';
import { rulesOf } from './kind-rules.ts';
import { removeBelongings } from './removals.ts';
import type { Round } from './round.ts';

/**
 * Removes the records of rows that the legacy database does not have any more.
 * @returns the rows that stay booked, because their record was changed in this moment; the next round decides
 */
export async function removeGone(round: Round, kind: Kind, rows: readonly BookedRow[]): Promise<BookedRow[]> {
  const gone = rows.filter(({ digest }) => digest !== NOT_TAKEN);
  if (gone.length === 0) {
    return [];
  }
  if (kind === 'tokens') {
    await revoke(round, gone);
    return [];
  }
  const { context } = round;
  const keys = gone.map(({ key }) => key);
  const stored = await storedWithIds(context.models, kind, keys);
  if (kind === 'accounts') {
    // An earlier round may have been killed after it had removed the account.
    await removeBelongings(
      context,
      keys.filter((key) => !stored.has(key)),
    );
  }
  const accountsThere = kind === 'profiles' ? await keysThere(round, keys) : undefined;
  const left: BookedRow[] = [];
  for (const row of gone) {
    const record = stored.get(row.key);
    if (!record) {
      continue;
    }
    if (accountsThere && !accountsThere.has(row.key)) {
      // It went with its account, which has stayed here because it was changed.
      continue;
    }
    if (recordKindOf(kind).digestOf(record) !== row.digest) {
      const reason = 'it was deleted there and changed here; it stays';
      context.observer.found({ kind, id: row.key, outcome: 'conflict', reason });
    } else if (await rulesOf(kind).remove(context, record)) {
      round.changes[kind].removed += 1;
    } else {
      left.push(row);
    }
  }
  return left;
}

/** A token that was revoked there is revoked here in any case. */
async function revoke({ context, changes }: Round, rows: readonly BookedRow[]): Promise<void> {
  const ids = rows.map(({ key }) => key);
  const { deletedCount } = await context.models.tokens.deleteMany({ _id: { $in: ids } });
  changes.tokens.removed += deletedCount;
}

async function keysThere({ context }: Round, accountIds: readonly string[]): Promise<Set<string>> {
  const rows = await context.source.rows('accounts', accountIds);
  return new Set(rows.map(({ key }) => key));
}
