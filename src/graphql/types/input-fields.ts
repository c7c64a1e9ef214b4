import { Field, InputType } from 'type-graphql';
import { AccountInput } from '../../inputs/account.input.ts';
import { LoginInput } from '../../inputs/login.input.ts';
import { RegisterDoctorInput } from '../../inputs/register-doctor.input.ts';
import { RegisterPatientInput } from '../../inputs/register-patient.input.ts';
import { Upload } from './upload.scalar.ts';

/** A field that must be given, a text unless it says otherwise; with `nullable` it may be left out. */
interface InputField {
  type?: typeof Upload;
  nullable?: true;
  description: string;
}

/**
 * What the inputs that both doors share are in GraphQL. Said here and not on the classes, because whoever comes through
 * the other door should not wait until TypeGraphQL is loaded.
 */
function describeInput<T>(
  input: abstract new () => T,
  options: { description?: string },
  fields: { readonly [name in keyof T & string]?: InputField },
): void {
  InputType(options)(input);
  for (const [name, field] of Object.entries<InputField | undefined>(fields)) {
    const { type = String, ...fieldOptions } = field ?? {};
    Field(() => type, fieldOptions)(input.prototype, name);
  }
}

// No password_confirmation: a form repeats the password before it sends, not to the server.
describeInput(
  AccountInput,
  {},
  {
    name: { description: 'The name of the person, up to 255 characters.' },
    email: {
      description:
        'The e-mail address to log in with; no other account may have it. Case does not matter, and domains are compared in their ASCII form.',
    },
    password: {
      description: 'The password: at least 8 characters and at most 72 bytes of UTF-8. Blanks count.',
    },
  },
);

describeInput(
  LoginInput,
  { description: 'What an account logs in with.' },
  {
    email: { description: 'The e-mail address given at registration, in upper or lower case.' },
    password: { description: 'The password.' },
  },
);

describeInput(
  RegisterPatientInput,
  { description: 'What a patient registers with.' },
  {
    phone: { nullable: true, description: 'A telephone number, up to 255 characters.' },
  },
);

describeInput(
  RegisterDoctorInput,
  { description: 'What a doctor registers with: the account, the practice and three documents.' },
  {
    phone: { description: 'A telephone number, up to 255 characters.' },
    specialization: { description: 'The field of medicine, up to 255 characters.' },
    licenseNumber: { description: 'The number of the license, up to 255 characters.' },
    licenseFile: { type: Upload, description: 'The license, as a document or picture of up to 10 MiB.' },
    diplomaFile: { type: Upload, description: 'The diploma, as a document or picture of up to 10 MiB.' },
    certificationFile: {
      type: Upload,
      description: 'The certification, as a document or picture of up to 10 MiB.',
    },
    currentInstitution: {
      nullable: true,
      description: 'Where the doctor works now, up to 255 characters.',
    },
    workHistory: { nullable: true, description: 'Where the doctor worked before, up to 5,000 characters.' },
    publications: { nullable: true, description: 'What the doctor published, up to 5,000 characters.' },
    practiceAddress: { nullable: true, description: 'Where patients are seen, up to 5,000 characters.' },
  },
);
