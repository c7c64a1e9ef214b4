import { Field, InputType } from 'type-graphql';
import type { DoctorRegistration } from '../../auth/registration.ts';
import type { ReceivedFile } from '../../documents/received-file.ts';
import { OPTIONAL_TEXTS, REQUIRED_TEXTS, textsOf } from '../../stores/doctor-profile-record.ts';
import { AccountInput } from './account.input.ts';
import { DocumentFields } from './document-fields.ts';
import { Line, Required } from './field-rules.ts';
import { ProfileTexts } from './profile-text-fields.ts';

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
    // Runs before the decorator of the class: the required texts, the documents, then the optional texts.
    ProfileTexts(REQUIRED_TEXTS)(RegisterDoctorInput);
    DocumentFields(RegisterDoctorInput);
  }

  licenseFile!: ReceivedFile;
  diplomaFile!: ReceivedFile;
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
