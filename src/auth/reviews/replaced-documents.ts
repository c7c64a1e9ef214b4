import type { DocumentStore } from '../../documents/document-store.ts';
import { isLegacyPath, isStoredPath } from '../../documents/stored-path.ts';
import type { DoctorDocumentPaths, DoctorProfile, DoctorProfileModel } from '../../stores/doctors/doctors.ts';
import { DOCUMENT_FIELDS, isDocumentNamed } from '../../stores/named-documents.ts';
import { asReviewed } from './reviewed-doctor.ts';

interface Parts {
  documents: DocumentStore;
  profiles: DoctorProfileModel;
}

/** The documents that a profile has had and no longer names. A path of another form may lead out of the store. */
function replacedBy(before: DoctorProfile, after: DoctorDocumentPaths): string[] {
  const kept = DOCUMENT_FIELDS.map((field) => after[field]);
  const former = [...DOCUMENT_FIELDS.map((field) => before[field]), ...(before.replaced ?? [])];
  return former.filter(
    (path): path is string => typeof path === 'string' && !kept.includes(path) && isStoredPath(path),
  );
}

/**
 * What a decision remembers of the documents that it replaces. The sweep does not look for imported ones, so only this tells
 * the next decision or the erasure of them if they are not removed now.
 */
export function notingReplaced(before: DoctorProfile, after: DoctorDocumentPaths): { replaced?: string[] } {
  const replaced = replacedBy(before, after).filter(isLegacyPath);
  return replaced.length > 0 ? { replaced } : {};
}

/**
 * Removes the documents that a profile no longer names. An imported document that another profile names stays.
 */
export async function removeReplaced(
  { documents, profiles }: Parts,
  before: DoctorProfile,
  after: DoctorProfile,
): Promise<void> {
  for (const path of replacedBy(before, after)) {
    if (!(await isDocumentNamed(profiles, path))) {
      await documents.remove(path);
    }
  }
  if (after.replaced) {
    // A later decision may have added others. It removes these again, which is no error.
    await profiles.updateOne(asReviewed(after), { $unset: { replaced: '' } });
  }
}
