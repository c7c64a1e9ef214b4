import { Field, InputType } from 'type-graphql';
import type { DoctorRegistration } from '../auth/registration.ts';
import type { ReceivedFile } from '../documents/received-file.ts';
import { AccountInput } from './account.input.ts';
import { DocumentFile, Optional, Required, Text } from './field-rules.ts';
import { Upload } from './upload.scalar.ts';

/** The longest of the longer texts, in characters (design section 1). */
const ESSAY_MAX_CHARACTERS = 5_000;

@InputType({ description: 'What a doctor registers with: the account, the practice and three documents.' })
export class RegisterDoctorInput extends AccountInput {
  @Field(() => String, { description: 'A telephone number, up to 255 characters.' })
  @Required()
  @Text()
  override phone!: string;

  @Field(() => String, { description: 'The field of medicine, up to 255 characters.' })
  @Required()
  @Text()
  specialization!: string;

  @Field(() => String, { description: 'The number of the license, up to 255 characters.' })
  @Required()
  @Text()
  licenseNumber!: string;

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

  @Field(() => String, { nullable: true, description: 'Where the doctor works now, up to 255 characters.' })
  @Optional()
  @Text()
  currentInstitution?: string | undefined;

  @Field(() => String, {
    nullable: true,
    description: 'Where the doctor worked before, up to 5,000 characters.',
  })
  @Optional()
  @Text(ESSAY_MAX_CHARACTERS)
  workHistory?: string | undefined;

  @Field(() => String, { nullable: true, description: 'What the doctor published, up to 5,000 characters.' })
  @Optional()
  @Text(ESSAY_MAX_CHARACTERS)
  publications?: string | undefined;

  @Field(() => String, { nullable: true, description: 'Where patients are seen, up to 5,000 characters.' })
  @Optional()
  @Text(ESSAY_MAX_CHARACTERS)
  practiceAddress?: string | undefined;

  /** The input in the terms of the service. */
  toRegistration(): DoctorRegistration {
    const { name, email, phone, password, specialization, licenseNumber } = this;
    const { licenseFile, diplomaFile, certificationFile } = this;
    const {
      currentInstitution = null,
      workHistory = null,
      publications = null,
      practiceAddress = null,
    } = this;
    const about = { currentInstitution, workHistory, publications, practiceAddress };
    return {
      name,
      email,
      phone,
      password,
      profile: { specialization, licenseNumber, ...about },
      documents: { licenseFile, diplomaFile, certificationFile },
    };
  }
}
