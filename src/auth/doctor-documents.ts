import type { DocumentGroup, DocumentStore } from '../documents/document-store.ts';
import type { ReceivedFile } from '../documents/quarantine.ts';
import type { DocumentHash } from '../stores/doctor-profile-record.ts';
import { type DoctorDocument, type DoctorDocumentPaths, FIELD_OF_GROUP } from '../stores/doctors.ts';
import { together, type UnitOfWork } from './unit-of-work.ts';

/** A doctor's three documents, received and checked, still in quarantine. */
export interface DoctorDocuments {
  licenseFile: ReceivedFile;
  diplomaFile: ReceivedFile;
  certificationFile: ReceivedFile;
}

/** Each document: its field in the inputs, and its group in the store. */
export const DOCUMENT_PLACES = {
  license: { field: 'licenseFile', group: 'licenses' },
  diploma: { field: 'diplomaFile', group: 'diplomas' },
  certification: { field: 'certificationFile', group: 'certifications' },
} as const satisfies Record<DoctorDocument, { field: keyof DoctorDocuments; group: DocumentGroup }>;

/** Some of a doctor's documents. */
export type SomeDocuments = { [field in keyof DoctorDocuments]?: ReceivedFile | undefined };

/** The stored paths, and the hashes. */
type Kept<Documents> = { documentHashes: DocumentHash[] } & (Documents extends DoctorDocuments
  ? { [field in keyof DoctorDocumentPaths]: string }
  : Partial<DoctorDocumentPaths>);

/** Moves documents out of quarantine. They are removed again if the unit of work fails. */
export async function keepDocuments<Documents extends SomeDocuments>(
  store: DocumentStore,
  unit: UnitOfWork,
  documents: Documents,
): Promise<Kept<Documents>> {
  const files = await eachItsOwn(documents);
  const kept = Object.values(DOCUMENT_PLACES).map(async ({ field, group }) => {
    const file = files[field];
    if (!file) {
      return [];
    }
    const storedPath = await store.keep(group, file);
    unit.onFailure(() => store.remove(storedPath));
    return [{ field: FIELD_OF_GROUP[group], path: storedPath, sha256: file.sha256 }];
  });
  const stored = (await together(kept)).flat();
  return {
    ...Object.fromEntries(stored.map(({ field, path }) => [field, path])),
    documentHashes: stored.map(({ path, sha256 }) => ({ path, sha256 })),
  } as Kept<Documents>;
}

/** One file may be given for several documents, in GraphQL. All are copied before the first is moved. */
async function eachItsOwn(documents: SomeDocuments): Promise<SomeDocuments> {
  const files = Object.values(DOCUMENT_PLACES).map(({ field }) => [field, documents[field]] as const);
  const own = files.map(async ([field, file], index) => {
    const isTaken = file && files.findIndex(([, other]) => other === file) < index;
    return [field, isTaken ? Object.assign(await file.copy(), { extension: file.extension }) : file];
  });
  return Object.fromEntries(await together(own));
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
