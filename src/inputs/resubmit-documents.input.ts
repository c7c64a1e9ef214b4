import { Field, InputType } from 'type-graphql';
import type { DoctorDocuments } from '../auth/doctor-documents.ts';
import type { ReceivedFile } from '../documents/received-file.ts';
import { DocumentFile, Required } from './field-rules.ts';
import { Upload } from './upload.scalar.ts';

/** The documents of a doctor after a rejection: all three, under the rules of a registration. */
@InputType({ description: 'The three documents of a doctor, submitted again.' })
export class ResubmitDocumentsInput {
  @Field(() => Upload, { description: 'The license, as a document or picture of up to 10 MiB.' })
  @Required()
  @DocumentFile()
  licenseFile!: ReceivedFile;

  @Field(() => Upload, { description: 'The diploma, as a document or picture of up to 10 MiB.' })
  @Required()
  @DocumentFile()
  diplomaFile!: ReceivedFile;

  @Field(() => Upload, { description: 'The certification, as a document or picture of up to 10 MiB.' })
  @Required()
  @DocumentFile()
  certificationFile!: ReceivedFile;

  /** The input in the terms of the service. */
  toDocuments(): DoctorDocuments {
    const { licenseFile, diplomaFile, certificationFile } = this;
    return { licenseFile, diplomaFile, certificationFile };
  }
}
