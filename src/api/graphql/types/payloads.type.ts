import 'reflect-metadata';
import { Field, ObjectType } from 'type-graphql';
import { AccountType } from './account.type.ts';
import { DoctorProfileType, type DoctorView } from './doctor-profile.type.ts';

const TOKEN =
  'The new access token in plain text, shown only here. Send it as `Authorization: Bearer <token>`.';

@ObjectType('AuthPayload', { description: 'An account and a new access token for it.' })
export class AuthPayload {
  @Field(() => AccountType, { description: 'The account.' })
  account!: AccountType;

  @Field(() => String, { description: TOKEN })
  token!: string;
}

@ObjectType('DoctorRegistration', { description: 'A new doctor.' })
export class DoctorRegistrationPayload {
  @Field(() => AccountType, { description: 'The account.' })
  account!: AccountType;

  @Field(() => DoctorProfileType, { description: 'The profile.' })
  profile!: DoctorView;

  @Field(() => String, { description: TOKEN })
  token!: string;
}

@ObjectType('LogoutPayload', { description: 'The end of a session.' })
export class LogoutPayload {
  @Field(() => String, { description: 'Always `Logged out`.' })
  message!: string;
}

@ObjectType('DeleteMyAccountPayload', { description: 'The end of an account.' })
export class DeleteMyAccountPayload {
  @Field(() => String, { description: 'Always `Your account has been closed.`' })
  message!: string;

  @Field(() => Date, {
    description: 'The account and its documents are erased within an hour after this time.',
  })
  erasedAfter!: Date;
}
