import 'reflect-metadata';
import { InputType } from 'type-graphql';
import type { SomeDocuments } from '../../auth/doctor-documents.ts';
import type { ReceivedFile } from '../../documents/quarantine.ts';
import { OptionalDocumentFields } from './doctor-fields.ts';

/** The documents of a doctor after a rejection, under the rules of a registration. Which ones, only the service knows. */
@InputType({
  description: 'The documents of a doctor that the rejection asks for (`verification.documents`).',
})
@OptionalDocumentFields
export class ResubmitDocumentsInput {
  licenseFile?: ReceivedFile | undefined;
  diplomaFile?: ReceivedFile | undefined;
  certificationFile?: ReceivedFile | undefined;

  /** The input in the terms of the service. */
  toDocuments(): SomeDocuments {
    const { licenseFile, diplomaFile, certificationFile } = this;
    return { licenseFile, diplomaFile, certificationFile };
  }
}
