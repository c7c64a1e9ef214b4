import type { mongo } from 'mongoose';
import { isStoredPath } from '../../documents/stored-path.ts';
import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import { isDocumentNamed } from '../../stores/named-documents.ts';
import { pathsOf } from '../files/import-files.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { collectionOf, storedWithIds } from '../records/stored-records.ts';

type Target = Pick<LegacyContext, 'models' | 'documents'>;

/** What was removed with accounts or profiles. */
export interface Removed {
  profiles: number;
  tokens: number;
  /** Documents that the store had. */
  files: number;
}

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
 * @returns the ids of those that are left, because they were changed since they were read, and what was removed with the others
 */
export async function removeAccounts(
  target: Target,
  accounts: readonly StoredAccount[],
): Promise<{ left: Set<string>; removed: Removed }> {
  if (accounts.length === 0) {
    return { left: new Set(), removed: { profiles: 0, tokens: 0, files: 0 } };
  }
  const ids = accounts.map(({ _id }) => _id);
  const operations = accounts.map((account) => ({ deleteOne: { filter: asRead(account) } }));
  await collectionOf(target.models, 'accounts').bulkWrite(operations, { ordered: false });
  const left = await storedWithIds(target.models, 'accounts', ids);
  const removed = await removeBelongings(
    target,
    ids.filter((id) => !left.has(id)),
  );
  return { left: new Set(left.keys()), removed };
}

/** Removes profiles, documents and tokens of accounts that do not exist any more. */
async function removeBelongings(target: Target, accountIds: readonly string[]): Promise<Removed> {
  const { models } = target;
  const tokens = await collectionOf(models, 'tokens').deleteMany({ accountId: { $in: [...accountIds] } });
  const profiles = await storedWithIds(models, 'profiles', accountIds);
  let files = 0;
  for (const profile of profiles.values()) {
    files += await removeProfile(target, profile);
  }
  return { profiles: profiles.size, tokens: tokens.deletedCount, files };
}

/**
 * Removes a profile, then its documents: a profile never names a document that does not exist.
 * @returns how many documents were removed
 */
export async function removeProfile(target: Target, profile: DoctorProfile): Promise<number> {
  await collectionOf(target.models, 'profiles').deleteOne({ _id: profile._id });
  const { resubmitted, replaced = [] } = profile;
  const waiting = resubmitted ? pathsOf(resubmitted) : [];
  return removeDocuments(target, [...pathsOf(profile), ...waiting, ...replaced]);
}

/**
 * Removes documents, except those that another profile names.
 * @returns how many of them were there
 */
export async function removeDocuments(
  { models, documents }: Target,
  paths: readonly string[],
): Promise<number> {
  let count = 0;
  for (const path of paths) {
    // A path of another form may come from a strange database, and lead out of the store.
    if (isStoredPath(path) && !(await isDocumentNamed(models.profiles, path))) {
      const content = await documents.open(path);
      content?.destroy();
      await documents.remove(path);
      count += content ? 1 : 0;
    }
  }
  return count;
}
