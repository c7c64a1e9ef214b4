import 'reflect-metadata';
import { InputType } from 'type-graphql';
import type { DoctorDocuments } from '../../auth/doctor-documents.ts';
import type { ReceivedFile } from '../../documents/quarantine.ts';
import { DocumentFields } from './doctor-fields.ts';

/** The documents of a doctor after a rejection: all three, under the rules of a registration. */
@InputType({ description: 'The three documents of a doctor, submitted again.' })
@DocumentFields
export class ResubmitDocumentsInput {
  licenseFile!: ReceivedFile;
  diplomaFile!: ReceivedFile;
  certificationFile!: ReceivedFile;

  /** The input in the terms of the service. */
  toDocuments(): DoctorDocuments {
    const { licenseFile, diplomaFile, certificationFile } = this;
    return { licenseFile, diplomaFile, certificationFile };
  }
}
