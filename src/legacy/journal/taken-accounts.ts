import { ROLES } from '../../stores/accounts.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import type { AnyRecord } from '../records/kinds.ts';
import type { RecordKind } from '../records/record-kind.ts';
import type { LegacyRow } from '../source/legacy-database.ts';

type Known = Pick<LegacyContext, 'stores' | 'journal'>;

/**
 * Those of the accounts that were taken from the legacy database and are here. To have the id is not enough: somebody who
 * registered here may have got the id that the legacy service gave to somebody else. Profiles and tokens of the one must
 * not become those of the other.
 */
export async function takenAccounts(
  { stores, journal }: Known,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const here = await ACCOUNTS.stored(stores).byIds([...new Set(ids)]);
  return here.size === 0 ? new Set() : journal.takenOf('accounts', [...here.keys()]);
}

/**
 * Lets the next round try rows again that are not taken because of their account, if that one is open here. It was gone in the legacy
 * database when the rows were read. If it is there again before a round looks at it, its own row has not changed, and nothing else
 * would remind of them. Call it before the rows are remembered.
 * @param rows that are not taken because of their account
 */
export async function noteUnseenAbsence(
  context: Known,
  kind: RecordKind<AnyRecord>,
  rows: readonly LegacyRow[],
): Promise<void> {
  const ids = rows.map((row) => kind.accountOf(row)).filter((id) => typeof id === 'string');
  const here = await ACCOUNTS.stored(context.stores).byIds([...new Set(ids)]);
  // A token of an administrator never becomes one of a reviewer.
  const open = [...here.values()].filter(
    (account) => !ACCOUNTS.isMarked(account) && account.role !== ROLES.REVIEWER,
  );
  if (open.length === 0) {
    return;
  }
  const taken = await context.journal.takenOf(
    'accounts',
    open.map(({ _id }) => _id),
  );
  if (taken.size > 0) {
    await context.journal.notes.noteChangedAccounts();
  }
}
