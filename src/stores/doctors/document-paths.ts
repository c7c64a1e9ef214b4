import type { DocumentGroup } from '../../documents/document-store.ts';
import { isLegacyPath, isStoredPath } from '../../documents/stored-path.ts';
import type { DoctorDocumentPaths, DoctorProfile } from './profile-record.ts';

/** The field of a profile for each group of documents. */
export const FIELD_OF_GROUP = {
  licenses: 'licenseFilePath',
  diplomas: 'diplomaFilePath',
  certifications: 'certificationFilePath',
} as const satisfies Record<DocumentGroup, keyof DoctorDocumentPaths>;

/** The fields of a profile that name its documents. */
export const DOCUMENT_FIELDS = Object.values(FIELD_OF_GROUP);

/** What names documents in a profile. */
type NamedDocuments = Partial<DoctorDocumentPaths> & Pick<DoctorProfile, 'resubmitted' | 'replaced'>;

const pathsOf = (paths: Partial<DoctorDocumentPaths>): unknown[] =>
  DOCUMENT_FIELDS.map((field) => paths[field]);

/** A path of another form may come from a strange database, and lead out of the store. */
const storedPathsIn = (paths: readonly unknown[]): string[] =>
  paths.filter((path): path is string => typeof path === 'string' && isStoredPath(path));

/** All documents of a profile, also those that wait for a decision, and those that are being removed. */
export const allDocumentsOf = (profile: NamedDocuments): string[] =>
  storedPathsIn([...pathsOf(profile), ...pathsOf(profile.resubmitted ?? {}), ...(profile.replaced ?? [])]);

/** The documents that a profile has had and no longer names. */
export function replacedBy(before: NamedDocuments, after: DoctorDocumentPaths): string[] {
  const kept = pathsOf(after);
  return storedPathsIn([...pathsOf(before), ...(before.replaced ?? [])]).filter(
    (path) => !kept.includes(path),
  );
}

/**
 * What a change of a profile stores of the documents that it replaces, before these are removed. The sweep lists only the
 * documents that were uploaded here: after a crash, nothing else would know the imported ones.
 */
export function notingReplaced(
  before: NamedDocuments,
  after: DoctorDocumentPaths,
): Pick<DoctorProfile, 'replaced'> {
  const replaced = replacedBy(before, after).filter(isLegacyPath);
  return replaced.length > 0 ? { replaced } : {};
}
