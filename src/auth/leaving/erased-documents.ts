import { boundedExchange } from '../../database/bounded-exchange.ts';
import type { DocumentStore } from '../../documents/document-store.ts';
import { isLegacyPath, isStoredPath } from '../../documents/stored-path.ts';
import type { DoctorDocumentPaths, DoctorProfile, DoctorProfileModel } from '../../stores/doctors/doctors.ts';
import { DOCUMENT_FIELDS, isDocumentNamed } from '../../stores/named-documents.ts';
import type { SweptProfiles } from '../../stores/swept-profiles.ts';
import type { Clock } from '../../system/clock.ts';

interface Target {
  profiles: DoctorProfileModel;
  sweptProfiles: SweptProfiles;
  documents: DocumentStore;
  clock: Clock;
}

/** The documents may be replaced between two tries, but only by a request that had begun before the account was closed. */
const MAX_TRIES = 5;

/**
 * Removes a doctor's documents, also those that wait for a decision, and those that one has replaced. It may be repeated.
 * @returns the profile as it was read; undefined if there is none
 * @throws errors of the database or the store
 */
async function removeDocuments(target: Target, accountId: string): Promise<DoctorProfile | undefined> {
  const query = target.profiles.findById(accountId).lean<DoctorProfile>();
  const profile = await boundedExchange(query, target.clock);
  if (!profile) {
    return undefined;
  }
  const replaced = (profile.replaced ?? []).filter(isStoredPath);
  for (const path of [...[profile, profile.resubmitted ?? NONE].flatMap(pathsOf), ...replaced]) {
    if (!(await isNeededByOthers(target, accountId, path))) {
      await target.documents.remove(path);
    }
  }
  return profile;
}

/**
 * Removes a doctor's documents, then the profile. So a profile that is left tells the next try what is to be removed. One that
 * the sweep has removed comes back first: nothing else knows its documents.
 * @throws errors of the database or the store
 */
export async function removeProfile(target: Target, accountId: string): Promise<void> {
  await target.sweptProfiles.restore(accountId);
  await target.sweptProfiles.remove(accountId);
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const profile = await removeDocuments(target, accountId);
    if (!profile) {
      return;
    }
    const { licenseFilePath, resubmitted } = profile;
    const asRead = {
      _id: accountId,
      licenseFilePath,
      'resubmitted.licenseFilePath': resubmitted?.licenseFilePath ?? null,
    };
    await boundedExchange(target.profiles.deleteOne(asRead).exec(), target.clock);
  }
  throw new Error('the profile of an account that is being erased keeps changing');
}

type Paths = { [field in keyof DoctorDocumentPaths]: string | null };
const NONE: Paths = { licenseFilePath: null, diplomaFilePath: null, certificationFilePath: null };

/** A path of another form may come from a strange database, and lead out of the store. */
const pathsOf = (paths: Paths): string[] =>
  DOCUMENT_FIELDS.map((field) => paths[field]).filter(
    (path): path is string => typeof path === 'string' && isStoredPath(path),
  );

/** Only imported documents may be shared. */
async function isNeededByOthers(
  { profiles, clock }: Target,
  accountId: string,
  path: string,
): Promise<boolean> {
  if (!isLegacyPath(path)) {
    return false;
  }
  return boundedExchange(isDocumentNamed(profiles, path, accountId), clock);
}
