import type { DocumentGroup, DocumentStore } from '../documents/document-store.ts';
import type { ReceivedFile } from '../documents/received-file.ts';
import type { DoctorDocumentPaths } from '../stores/doctors.ts';
import { together, type UnitOfWork } from './unit-of-work.ts';

/** A doctor's three documents, received and checked, still in quarantine. */
export interface DoctorDocuments {
  licenseFile: ReceivedFile;
  diplomaFile: ReceivedFile;
  certificationFile: ReceivedFile;
}

/** Moves documents out of quarantine. They are removed again if the unit of work fails. */
export async function keepDocuments(
  store: DocumentStore,
  unit: UnitOfWork,
  { licenseFile, diplomaFile, certificationFile }: DoctorDocuments,
): Promise<DoctorDocumentPaths> {
  const keep = async (group: DocumentGroup, file: ReceivedFile) => {
    const storedPath = await store.keep(group, file);
    unit.onFailure(() => store.remove(storedPath));
    return storedPath;
  };
  const [licenseFilePath, diplomaFilePath, certificationFilePath] = await together([
    keep('licenses', licenseFile),
    keep('diplomas', diplomaFile),
    keep('certifications', certificationFile),
  ]);
  return { licenseFilePath, diplomaFilePath, certificationFilePath };
}
