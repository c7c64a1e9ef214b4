import { isStoredPath } from '../../documents/stored-path.ts';
import type { StoredAccount } from '../../stores/accounts/accounts.ts';
import type { DoctorProfile } from '../../stores/doctors/doctors.ts';
import { isDocumentNamed } from '../../stores/named-documents.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { PROFILES, pathsOf } from '../records/profile-kind.ts';
import { TOKENS } from '../records/token-kind.ts';
import type { Kind } from '../source/legacy-tables.ts';

type Target = Pick<LegacyContext, 'models' | 'documents'>;

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
  const left = await ACCOUNTS.stored(target.models).removeIfUnchanged(accounts);
  const ids = accounts.map(({ _id }) => _id).filter((id) => !left.has(id));
  return { left, removed: { accounts: ids.length, ...(await removeTheirs(target, ids)) } };
}

/** Removes profiles, documents and tokens of accounts that do not exist any more. */
async function removeTheirs(
  target: Target,
  accountIds: readonly string[],
): Promise<Omit<Removed, 'accounts'>> {
  const { models } = target;
  const tokens = await TOKENS.ofAccounts(models, accountIds);
  const left = await TOKENS.stored(models).removeIfUnchanged(tokens);
  const removed = { profiles: 0, tokens: tokens.length - left.size, files: 0 };
  const profiles = PROFILES.stored(models);
  for (let found = await profiles.byIds(accountIds); found.size > 0; ) {
    const changed: string[] = [];
    for (const profile of found.values()) {
      const files = await removeProfile(target, profile);
      if (files === undefined) {
        changed.push(profile._id);
      } else {
        removed.profiles += 1;
        removed.files += files;
      }
    }
    // Nobody needs the decision that a reviewer has made on one of these meanwhile.
    found = await profiles.byIds(changed);
  }
  return removed;
}

/**
 * Removes a profile, then its documents: a profile never names a document that does not exist.
 * @returns how many documents were removed; undefined if the profile was changed since it was read, and is left
 */
export async function removeProfile(target: Target, profile: DoctorProfile): Promise<number | undefined> {
  const left = await PROFILES.stored(target.models).removeIfUnchanged([profile]);
  if (left.size > 0) {
    return undefined;
  }
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
