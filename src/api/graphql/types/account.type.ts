import 'reflect-metadata';
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { PUBLIC_ROLES, type Role } from '../../../stores/accounts.ts';
import type { DoctorProfile } from '../../../stores/doctors.ts';
import { DateScalar } from '../../inputs/date.scalar.ts';

registerEnumType(PUBLIC_ROLES, {
  name: 'Role',
  description: 'The role of an account; set by its registration.',
  valuesConfig: {
    DOCTOR: { description: 'Registered with a profile and three documents.' },
    PATIENT: { description: 'Registered with account details only.' },
    REVIEWER: { description: 'Looks at the documents of doctors. Only an operator makes one.' },
  },
});

@ObjectType('Account', { description: 'A doctor, a patient or a reviewer.' })
export class AccountType {
  @Field(() => ID, { description: 'Opaque; assigned by the service.' })
  id!: string;

  @Field(() => String, { description: 'The name of the person.' })
  name!: string;

  @Field(() => String, {
    description:
      'The e-mail address of the account, in upper and lower case as entered. An operator can change it.',
  })
  email!: string;

  @Field(() => String, { nullable: true, description: 'The telephone number, if one was given.' })
  phone!: string | null;

  @Field(() => DateScalar, { nullable: true, description: 'The date of birth, if one was given.' })
  dateOfBirth!: string | null;

  @Field(() => PUBLIC_ROLES, { description: 'Doctor, patient or reviewer.' })
  role!: Role;

  @Field(() => Date, { description: 'When the account was registered; the epoch if that is unknown.' })
  createdAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the e-mail address was confirmed by a mailed link; null if it was not.',
  })
  emailVerifiedAt!: Date | null;

  /** The profile, where it was read with the account. It is no field of the API. */
  storedProfile?: DoctorProfile;
}
