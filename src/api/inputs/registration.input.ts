import 'reflect-metadata';
import { ArgsType, Field, InputType } from 'type-graphql';
import type { DoctorRegistration, PatientRegistration } from '../../auth/registration.ts';
import type { ReceivedFile } from '../../documents/quarantine.ts';
import { Allow } from '../../patches/class-validator.ts';
import { OPTIONAL_TEXTS, REQUIRED_TEXTS, textsOf } from '../../stores/doctor-profile-record.ts';
import { DateScalar } from './date.scalar.ts';
import { DocumentFields, ProfileTexts } from './doctor-fields.ts';
import {
  DateOfBirth,
  Example,
  Line,
  NewEmail,
  NewPassword,
  Optional,
  PASSWORD_RULES,
  Required,
} from './field-rules.ts';

/** The fields of every registration. */
@InputType()
abstract class AccountInput {
  @Field(() => String, { description: 'The name of the person, up to 255 characters.' })
  @Required()
  @Line()
  name!: string;

  @Field(() => String, {
    description:
      'The e-mail address to log in with; no other account may have it. Case does not matter, and domains are compared in their ASCII form.',
  })
  @Required()
  @NewEmail()
  email!: string;

  /** Keeps the place of the field: the order of the fields decides which text comes first. Its rules depend on the role. */
  @Allow()
  abstract phone?: string | undefined;

  @Field(() => String, {
    description: `The password: ${PASSWORD_RULES}`,
  })
  @Required()
  @NewPassword('passwordConfirmation')
  password!: string;

  /** Laravel forms repeat the password. GraphQL clients compare the two before they send. */
  @Allow()
  passwordConfirmation?: string | undefined;

  /** Only GraphQL takes it: without a rule, it is no field of REST. The service judges it. */
  @Field(() => String, {
    nullable: true,
    description:
      'The token of an invitation. The e-mail address must be the invited one, and is then confirmed.',
  })
  invitation?: string | null;
}

/** The fields of a patient's registration. */
@InputType({ description: "A patient's registration." })
@Example({
  name: 'Sam Example',
  email: 'sam-{{unique}}@example.org',
  password: 'correct horse battery',
  dateOfBirth: '1984-05-17',
})
export class RegisterPatientInput extends AccountInput {
  @Field(() => String, { nullable: true, description: 'A telephone number, up to 255 characters.' })
  @Optional()
  @Line()
  override phone?: string | undefined;

  @Field(() => DateScalar, { nullable: true, description: 'The date of birth, from 1900 to today.' })
  @Optional()
  @DateOfBirth()
  dateOfBirth?: string | undefined;

  /** The input in the terms of the service. */
  toRegistration(): PatientRegistration {
    const { name, email, password, phone = null, dateOfBirth = null, invitation } = this;
    return { name, email, password, phone, dateOfBirth, ...(invitation && { invitation }) };
  }
}

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
@Example({
  name: 'Dr. Ada Example',
  email: 'ada-{{unique}}@example.org',
  password: 'correct horse battery',
  phone: '+49 30 1234567',
  specialization: 'Cardiology',
  licenseNumber: 'L-{{unique}}',
})
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
      ...(this.invitation && { invitation: this.invitation }),
      profile: textsOf(this),
      documents: { licenseFile, diplomaFile, certificationFile },
    };
  }
}

/** Which invitation is looked at. */
@ArgsType()
export class InvitationArgs {
  @Field(() => String, { description: 'The token from the link of the mail.' })
  @Example('')
  @Required()
  @Line()
  token!: string;
}
