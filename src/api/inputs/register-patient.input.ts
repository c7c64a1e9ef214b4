import { Field, InputType } from 'type-graphql';
import type { PatientRegistration } from '../../auth/registration.ts';
import { AccountInput } from './account.input.ts';
import { DateScalar } from './date.scalar.ts';
import { DateOfBirth, Line, Optional } from './field-rules.ts';

/** The fields of a patient's registration. */
@InputType({ description: "A patient's registration." })
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
    const { name, email, password, phone = null, dateOfBirth = null } = this;
    return { name, email, password, phone, dateOfBirth };
  }
}
