import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';

/**
 * Those of the accounts that were taken from the legacy database and are here. To have the id is not enough: somebody who
 * registered here may have got the id that the legacy service gave to somebody else. Profiles and tokens of the one must
 * not become those of the other.
 */
export async function takenAccounts(
  { stores, bookkeeping }: Pick<LegacyContext, 'stores' | 'bookkeeping'>,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const here = await ACCOUNTS.stored(stores).byIds([...new Set(ids)]);
  return here.size === 0 ? new Set() : bookkeeping.takenOf('accounts', [...here.keys()]);
}
