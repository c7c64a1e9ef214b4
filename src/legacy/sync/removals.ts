import type { mongo } from 'mongoose';
import { isStoredPath } from '../../documents/document-store.ts';
import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import { pathsOf } from '../files/import-files.ts';
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
  const { models } = target;
  await collectionOf(models, 'tokens').deleteMany({ accountId: { $in: [...accountIds] } });
  const profiles = await storedWithIds(models, 'profiles', accountIds);
  for (const profile of profiles.values()) {
    await removeProfile(target, profile);
  }
}

/** Removes a profile, then its documents: a profile never names a document that does not exist. */
export async function removeProfile(target: Target, profile: DoctorProfile): Promise<void> {
  await collectionOf(target.models, 'profiles').deleteOne({ _id: profile._id });
  const { resubmitted, replaced = [] } = profile;
  const waiting = resubmitted ? pathsOf(resubmitted) : [];
  await removeDocuments(target, [...pathsOf(profile), ...waiting, ...replaced]);
}

/** Removes documents, except those that another profile names. */
export async function removeDocuments(
  { stores, documents }: Target,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    // A path of another form may come from a strange database, and lead out of the store.
    if (isStoredPath(path) && !(await stores.doctors.isFileNamed(path))) {
      await documents.remove(path);
    }
  }
}
