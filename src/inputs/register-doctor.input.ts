import type { DoctorRegistration } from '../auth/registration.ts';
import type { ReceivedFile } from '../documents/received-file.ts';
import { AccountInput } from './account.input.ts';
import { DocumentFile, Line, Lines, Optional, Required } from './field-rules.ts';

/** The longest of the longer texts, in characters (docs/contract.md, "Texts"). */
const ESSAY_MAX_CHARACTERS = 5_000;

/** What a doctor registers with: the account, the practice and three documents. */
export class RegisterDoctorInput extends AccountInput {
  @Required()
  @Line()
  override phone!: string;

  @Required()
  @Line()
  specialization!: string;

  @Required()
  @Line()
  licenseNumber!: string;

  @Required()
  @DocumentFile()
  licenseFile!: ReceivedFile;

  @Required()
  @DocumentFile()
  diplomaFile!: ReceivedFile;

  @Required()
  @DocumentFile()
  certificationFile!: ReceivedFile;

  @Optional()
  @Line()
  currentInstitution?: string | undefined;

  @Optional()
  @Lines(ESSAY_MAX_CHARACTERS)
  workHistory?: string | undefined;

  @Optional()
  @Lines(ESSAY_MAX_CHARACTERS)
  publications?: string | undefined;

  @Optional()
  @Lines(ESSAY_MAX_CHARACTERS)
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
