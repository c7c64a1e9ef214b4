import { isStoredPath } from '../../documents/document-store.ts';
import type { StoredAccount } from '../../models/account.model.ts';
import type { DoctorProfile } from '../../models/doctor-profile.model.ts';
import { isDocumentNamed } from '../../models/named-documents.ts';
import type { LegacyContext } from '../legacy-context.ts';
import { ACCOUNTS } from '../records/account-kind.ts';
import { PROFILES, pathsOf } from '../records/profile-kind.ts';
import { TOKENS } from '../records/token-kind.ts';

type Target = Pick<LegacyContext, 'models' | 'documents'>;

/**
 * Removes accounts with their profiles, documents and tokens. The accounts go first: what belongs to them is then invisible,
 * so nobody sees half of it, even after a crash.
 * @returns the ids of those that are left, because they were changed since they were read
 */
export async function removeAccounts(
  target: Target,
  accounts: readonly StoredAccount[],
): Promise<Set<string>> {
  const left = await ACCOUNTS.stored(target.models).removeIfUnchanged(accounts);
  const ids = accounts.map(({ _id }) => _id);
  await removeBelongings(
    target,
    ids.filter((id) => !left.has(id)),
  );
  return left;
}

/** Removes profiles, documents and tokens of accounts that do not exist any more. */
async function removeBelongings(target: Target, accountIds: readonly string[]): Promise<void> {
  const { models } = target;
  await TOKENS.stored(models).removeIfUnchanged(await TOKENS.ofAccounts(models, accountIds));
  const profiles = PROFILES.stored(models);
  for (let found = await profiles.byIds(accountIds); found.size > 0; ) {
    const left: string[] = [];
    for (const profile of found.values()) {
      left.push(...((await removeProfile(target, profile)) ? [] : [profile._id]));
    }
    // Nobody needs the decision that a reviewer has made on one of these meanwhile.
    found = await profiles.byIds(left);
  }
}

/**
 * Removes a profile, then its documents: a profile never names a document that does not exist.
 * @returns false: it was changed since it was read, and is left
 */
export async function removeProfile(target: Target, profile: DoctorProfile): Promise<boolean> {
  const left = await PROFILES.stored(target.models).removeIfUnchanged([profile]);
  if (left.size > 0) {
    return false;
  }
  const { resubmitted, replaced = [] } = profile;
  const waiting = resubmitted ? pathsOf(resubmitted) : [];
  await removeDocuments(target, [...pathsOf(profile), ...waiting, ...replaced]);
  return true;
}

/** Removes documents, except those that another profile names. */
export async function removeDocuments(
  { models, documents }: Target,
  paths: readonly string[],
): Promise<void> {
  for (const path of paths) {
    // A path of another form may come from a strange database, and lead out of the store.
    if (isStoredPath(path) && !(await isDocumentNamed(models.profiles, path))) {
      await documents.remove(path);
    }
  }
}
