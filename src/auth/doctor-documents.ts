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

/** Where each document goes: its group in the store, and its field in the profile. */
const PLACES = {
  licenseFile: ['licenses', 'licenseFilePath'],
  diplomaFile: ['diplomas', 'diplomaFilePath'],
  certificationFile: ['certifications', 'certificationFilePath'],
} as const satisfies Record<keyof DoctorDocuments, readonly [DocumentGroup, keyof DoctorDocumentPaths]>;

/** Some of a doctor's documents. */
export type SomeDocuments = { [field in keyof DoctorDocuments]?: ReceivedFile | undefined };

type KeptPaths<Documents> = Documents extends DoctorDocuments
  ? { [field in keyof DoctorDocumentPaths]: string }
  : Partial<DoctorDocumentPaths>;

/** Moves documents out of quarantine. They are removed again if the unit of work fails. */
export async function keepDocuments<Documents extends SomeDocuments>(
  store: DocumentStore,
  unit: UnitOfWork,
  documents: Documents,
): Promise<KeptPaths<Documents>> {
  const kept = Object.entries(PLACES).map(async ([name, [group, field]]) => {
    const file = documents[name as keyof DoctorDocuments];
    if (!file) {
      return [];
    }
    const storedPath = await store.keep(group, file);
    unit.onFailure(() => store.remove(storedPath));
    return [[field, storedPath]] as const;
  });
  return Object.fromEntries((await together(kept)).flat()) as KeptPaths<Documents>;
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
