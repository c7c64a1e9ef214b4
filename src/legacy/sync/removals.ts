import type { mongo } from 'mongoose';
import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { collectionOf, storedWithIds } from '../records/stored-records.ts';

type Target = Pick<LegacyContext, 'models' | 'stores' | 'documents'>;

/** A filter for an account that nobody has changed since it was read. */
export function asRead(account: StoredAccount): mongo.Filter<StoredAccount> {
  const {
    _id,
    name,
    email,
    emailKey,
    passwordHash,
    updatedAt = null,
    disabledAt = null,
    legacyAbsence,
  } = account;
  return {
    ...{ _id, name, email, emailKey, passwordHash, updatedAt, disabledAt },
    'legacyAbsence.disabledAt': legacyAbsence?.disabledAt ?? null,
  };
}

/**
 * Removes accounts with their profiles, documents and tokens. The accounts go first: what belongs to them is then invisible,
 * so nobody sees half of it, even after a crash.
 * @returns the ids of those that are left, because they were changed since they were read
 */
export async function removeAccounts(
  target: Target,
  accounts: readonly StoredAccount[],
): Promise<Set<string>> {
  if (accounts.length === 0) {
    return new Set();
  }
  const ids = accounts.map(({ _id }) => _id);
  const operations = accounts.map((account) => ({ deleteOne: { filter: asRead(account) } }));
  await collectionOf(target.models, 'accounts').bulkWrite(operations, { ordered: false });
  const left = await storedWithIds(target.models, 'accounts', ids);
  await removeBelongings(
    target,
    ids.filter((id) => !left.has(id)),
  );
  return new Set(left.keys());
}

/** Removes profiles, documents and tokens of accounts that do not exist any more. */
async function removeBelongings(target: Target, accountIds: readonly string[]): Promise<void> {
  const { models, stores, documents } = target;
  await collectionOf(models, 'tokens').deleteMany({ accountId: { $in: [...accountIds] } });
  const profiles = await storedWithIds(models, 'profiles', accountIds);
  for (const id of profiles.keys()) {
    await stores.doctors.removeWithFiles(id, documents);
  }
}

/** Finishes the removals of profiles and documents that a kill of an earlier command has interrupted. */
export async function finishRemovals({ stores, documents }: Target): Promise<void> {
  for (const id of await stores.doctors.unfinishedRemovals()) {
    await stores.doctors.finishRemoval(id, documents);
  }
}
