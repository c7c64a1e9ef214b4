import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { PROFILES } from '../records/profile-kind.ts';
import { TOKENS } from '../records/token-kind.ts';
import type { Kind } from '../source/legacy-tables.ts';

type Target = Pick<LegacyContext, 'stores' | 'documents'>;

/** How many records and documents were removed. The store had each of these documents. */
export type Removed = Record<Kind | 'files', number>;

/**
 * Removes accounts with their profiles, documents and tokens. The accounts go first: what belongs to them is then invisible,
 * so nobody sees half of it, even after a crash.
 * @returns the ids of those that are left, because they were changed since they were read, and what was removed
 */
export async function removeAccounts(
  target: Target,
  accounts: readonly StoredAccount[],
): Promise<{ left: Set<string>; removed: Removed }> {
  const left = await ACCOUNTS.stored(target.stores).removeIfUnchanged(accounts);
  const ids = accounts.map(({ _id }) => _id).filter((id) => !left.has(id));
  return { left, removed: { accounts: ids.length, ...(await removeTheirs(target, ids)) } };
}

/** Removes profiles, documents and tokens of accounts that do not exist any more. */
async function removeTheirs(
  { stores, documents }: Target,
  accountIds: readonly string[],
): Promise<Omit<Removed, 'accounts'>> {
  const tokens = await TOKENS.ofAccounts(stores, accountIds);
  const left = await TOKENS.stored(stores).removeIfUnchanged(tokens);
  const removed = { profiles: 0, tokens: tokens.length - left.size, files: 0 };
  for (const id of (await PROFILES.stored(stores).byIds(accountIds)).keys()) {
    const files = await stores.doctors.removeWithFiles(id, documents);
    removed.profiles += files === undefined ? 0 : 1;
    removed.files += files ?? 0;
  }
  return removed;
}

/** Finishes the removals of profiles and documents that a kill of an earlier command has interrupted. */
export async function finishRemovals({
  stores,
  documents,
}: Pick<LegacyContext, 'stores' | 'documents'>): Promise<void> {
  for (const id of await stores.doctors.unfinishedRemovals()) {
    await stores.doctors.finishRemoval(id, documents);
  }
}
