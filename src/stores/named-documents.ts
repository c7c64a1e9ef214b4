import type { DoctorDocumentPaths, DoctorProfileModel } from './doctors/profile-record.ts';

/** The fields of a profile that name its documents. */
export const DOCUMENT_FIELDS = [
  'licenseFilePath',
  'diplomaFilePath',
  'certificationFilePath',
] as const satisfies (keyof DoctorDocumentPaths)[];

/**
 * True if a profile names this document. A legacy service may have stored one file for two doctors; the names that are made
 * here are random. Each field has an index: one query with `$or` would make the embedded engine read all profiles.
 * @param path a stored path
 * @param exceptId the id of a profile that does not count
 */
export async function isDocumentNamed(
  profiles: DoctorProfileModel,
  path: string,
  exceptId?: string,
): Promise<boolean> {
  const except = exceptId === undefined ? {} : { _id: { $ne: exceptId } };
  const users = await Promise.all(
    DOCUMENT_FIELDS.map((field) => profiles.exists({ [field]: path, ...except })),
  );
  return users.some((user) => user !== null);
}
