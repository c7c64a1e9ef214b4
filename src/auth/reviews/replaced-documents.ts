import type { DocumentStore } from '../../documents/document-store.ts';
import type { DoctorDocumentPaths, DoctorProfileModel } from '../../models/doctor-profile.model.ts';

interface Parts {
  documents: DocumentStore;
  profiles: DoctorProfileModel;
}

const FIELDS = [
  'licenseFilePath',
  'diplomaFilePath',
  'certificationFilePath',
] as const satisfies (keyof DoctorDocumentPaths)[];

/**
 * Removes the documents that a profile no longer names. An imported document that another profile names stays: a legacy
 * service may have stored one file for two rows.
 */
export async function removeReplaced(
  { documents, profiles }: Parts,
  before: DoctorDocumentPaths,
  after: DoctorDocumentPaths,
): Promise<void> {
  const kept = FIELDS.map((field) => after[field]);
  for (const path of FIELDS.map((field) => before[field])) {
    if (path === null || path === undefined || kept.includes(path)) {
      continue;
    }
    const users = await Promise.all(FIELDS.map((field) => profiles.exists({ [field]: path })));
    if (users.every((user) => user === null)) {
      await documents.remove(path);
    }
  }
}
