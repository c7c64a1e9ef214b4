import { Field, InputType } from 'type-graphql';
import type { DoctorRegistration } from '../auth/registration.ts';
import type { ReceivedFile } from '../documents/received-file.ts';
import { OPTIONAL_TEXTS, REQUIRED_TEXTS, textsOf } from '../models/profile-texts.ts';
import { AccountInput } from './account.input.ts';
import { DocumentFile, Line, Required } from './field-rules.ts';
import { ProfileTexts } from './profile-text-fields.ts';
import { Upload } from './upload.scalar.ts';

/** The account of a doctor, who must give a telephone number. */
@InputType()
abstract class DoctorAccountInput extends AccountInput {
  @Field(() => String, { description: 'A telephone number, up to 255 characters.' })
  @Required()
  @Line()
  override phone!: string;
}

/** The fields of a doctor's registration: the account, the texts of the profile (PROFILE_TEXTS), and three documents. */
@InputType({ description: "A doctor's registration: the account, the practice and three documents." })
@ProfileTexts(OPTIONAL_TEXTS)
export class RegisterDoctorInput extends DoctorAccountInput {
  static {
    // Runs before the decorators below. The required texts come before the documents.
    ProfileTexts(REQUIRED_TEXTS)(RegisterDoctorInput);
  }

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
  toRegistration(): DoctorRegistration {
    const { name, email, phone, password, licenseFile, diplomaFile, certificationFile } = this;
    return {
      name,
      email,
      phone,
      password,
      profile: textsOf(this),
      documents: { licenseFile, diplomaFile, certificationFile },
    };
  }
}
