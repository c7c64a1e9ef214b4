import type { DocumentGroup, DocumentStore } from '../documents/document-store.ts';
import type { ReceivedFile } from '../documents/quarantine.ts';
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

/** The acts whose documents are received only after they were admitted. */
type AdmittedAct = 'registration' | 'resubmission';

/**
 * Proof that an upload was counted before its body was received. Only the services make one, so no API can forget the count.
 * It is valid once, for one act.
 */
export class Admission {
  #isUsed = false;

  constructor(private readonly act: AdmittedAct) {}

  /** @throws Error on a second use or for another act, which is a bug of an API */
  use(act: AdmittedAct): void {
    if (this.#isUsed || act !== this.act) {
      throw new Error(`an admission is valid for one ${this.act}`);
    }
    this.#isUsed = true;
  }
}
