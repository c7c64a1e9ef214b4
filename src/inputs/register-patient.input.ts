import type { PatientRegistration } from '../auth/registration.ts';
import { AccountInput } from './account.input.ts';
import { Line, Optional } from './field-rules.ts';

/** What a patient registers with. */
export class RegisterPatientInput extends AccountInput {
  @Optional()
  @Line()
  override phone?: string | undefined;

  /** The input in the terms of the service. */
  toRegistration(): PatientRegistration {
    const { name, email, password, phone = null } = this;
    return { name, email, password, phone };
  }
}
