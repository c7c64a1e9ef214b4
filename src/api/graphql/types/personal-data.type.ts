import 'reflect-metadata';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import type { PendingEmailLink, SecondFactorData } from '../../../auth/account-data.ts';
import type { PersonalAccount, PersonalEvent, PersonalToken } from '../../../auth/privacy/personal-data.ts';
import { LINE_MAX_CHARACTERS } from '../../../auth/text-rules.ts';
import { MAX_KNOWN_DEVICES, MAX_ORIGIN_CHARACTERS } from '../../../auth/tokens/devices.ts';
import { PUBLIC_ROLES, type Role } from '../../../stores/accounts.ts';
import { DateScalar } from '../../inputs/date.scalar.ts';
import { Characters, Items } from '../limits/answer-size.ts';
import { MANY_ABILITIES } from './access-token.type.ts';
import { DoctorProfileType } from './doctor-profile.type.ts';
import { InvitationType } from './invitation.type.ts';
import { PasskeyType } from './passkey.type.ts';

@ObjectType('PersonalAccount', {
  description: 'An account with all that is stored about it, except secrets.',
})
class PersonalAccountType implements PersonalAccount {
  @Field(() => ID, { description: 'Opaque; assigned by the service.' })
  id!: string;

  @Field(() => String, { description: 'The name.' })
  name!: string;

  @Field(() => String, { description: 'The e-mail address.' })
  email!: string;

  @Field(() => String, { nullable: true, description: 'The telephone number, if one was given.' })
  phone!: string | null;

  @Field(() => DateScalar, { nullable: true, description: 'The date of birth, if one was given.' })
  dateOfBirth!: string | null;

  @Field(() => PUBLIC_ROLES, { description: 'Doctor, patient or reviewer.' })
  role!: Role;

  @Field(() => Date, {
    nullable: true,
    description: 'When the account was registered; null if that is unknown.',
  })
  createdAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'When one of its fields last changed, if that is known.',
  })
  updatedAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'When the e-mail address was confirmed by a mailed link; null if it was not.',
  })
  emailVerifiedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it was disabled; null if it is not.' })
  disabledAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it will be erased; null if it was not closed.' })
  erasureDueAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'The language of the mails to it, such as `de`; null if it is unknown.',
  })
  language!: string | null;

  @Field(() => Int, {
    description:
      'From how many networks it has logged in lately, up to 8. The gateway keeps only keyed digests of them, to recognise a usual place.',
  })
  knownNetworks!: number;

  @Items(MAX_KNOWN_DEVICES)
  @Characters(MAX_ORIGIN_CHARACTERS)
  @Field(() => [String], {
    description:
      'The devices that it has logged in from lately, up to 8, the newest at the end, such as `Firefox on Windows`. A login from another one is mailed to a confirmed e-mail address.',
  })
  knownDevices!: string[];
}

@ObjectType('PersonalProfile', { description: "A doctor's profile with all that is stored about it." })
class PersonalProfileType extends DoctorProfileType {
  @Field(() => Date, { description: 'When it was registered.' })
  createdAt!: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Where a license that waits for a decision can be fetched; null if there is none.',
  })
  resubmittedLicenseFileUrl!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Where a diploma that waits for a decision can be fetched; null if there is none.',
  })
  resubmittedDiplomaFileUrl!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Where a certification that waits for a decision can be fetched; null if there is none.',
  })
  resubmittedCertificationUrl!: string | null;
}

@ObjectType('PersonalToken', { description: 'An access token. Its plain text is nowhere in the gateway.' })
class PersonalTokenType implements PersonalToken {
  @Field(() => ID, { description: 'The part of the plain text before the `|`.' })
  id!: string;

  @Field(() => String, { description: 'What it was issued for.' })
  name!: string;

  @Items(MANY_ABILITIES)
  @Characters(40)
  @Field(() => [String], { nullable: true, description: 'What it may do; null means unrestricted.' })
  abilities!: string[] | null;

  @Field(() => Date, { nullable: true, description: 'When it was issued; null if that is unknown.' })
  createdAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it was last presented, if that is known.' })
  lastUsedAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it ends; null: never.' })
  expiresAt!: Date | null;

  @Characters(MAX_ORIGIN_CHARACTERS)
  @Field(() => String, {
    nullable: true,
    description: 'The program that it was issued to, if that is known.',
  })
  device!: string | null;

  @Characters(MAX_ORIGIN_CHARACTERS)
  @Field(() => String, {
    nullable: true,
    description: 'The address that it was issued to, if that is known.',
  })
  ip!: string | null;

  @Field(() => Boolean, { description: 'Whether the service that was here before has issued it.' })
  isImported!: boolean;
}

@ObjectType('PersonalPasswordReset', { description: 'A password reset that somebody has asked for.' })
class PersonalPasswordResetType {
  @Field(() => Date, { nullable: true, description: 'Until when its link is valid.' })
  expiresAt!: Date | null;
}

@ObjectType('PersonalEmailLink', {
  description: 'A link to confirm an e-mail address that was mailed and not used.',
})
class PersonalEmailLinkType implements PendingEmailLink {
  @Characters(LINE_MAX_CHARACTERS)
  @Field(() => String, {
    nullable: true,
    description: 'The new address that the account gets by it; null if it confirms the present one.',
  })
  newEmail!: string | null;

  @Field(() => Date, { nullable: true, description: 'Until when it is valid.' })
  expiresAt!: Date | null;
}

@ObjectType('PersonalSecondFactor', { description: 'The second factor of the account, without its secrets.' })
class PersonalSecondFactorType implements SecondFactorData {
  @Field(() => Date, { nullable: true, description: 'When the authenticator app was confirmed.' })
  confirmedAt!: Date | null;

  @Field(() => Int, { description: 'How many recovery codes were not used.' })
  recoveryCodesLeft!: number;
}

@ObjectType('PersonalMail', { description: 'A mail that waits to be sent.' })
class PersonalMailType {
  @Field(() => String, { description: 'What it is about, such as `password reset`.' })
  kind!: string;

  @Field(() => Date, { nullable: true, description: 'When it was ordered.' })
  orderedAt!: Date | null;
}

@ObjectType('PersonalEvent', {
  description: 'An event of the audit trail about the account, or caused by it.',
})
class PersonalEventType implements Omit<PersonalEvent, 'act' | 'outcome'> {
  @Characters(40)
  @Field(() => String, { description: 'What was done or tried, such as `login`.' })
  act!: string;

  @Characters(40)
  @Field(() => String, { description: '`success`, `failure`, or `unknown`: the database did not answer.' })
  outcome!: string;

  @Field(() => Date, { description: 'When it happened.' })
  at!: Date;

  @Characters(40)
  @Field(() => String, { description: 'How it reached the gateway, such as `rest`, `graphql` or `admin`.' })
  channel!: string;

  @Field(() => String, {
    nullable: true,
    description: 'The address that it came from; null for the acts of operators and reviewers.',
  })
  ip!: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The program that sent it, as it names itself; null for the acts of operators and reviewers.',
  })
  userAgent!: string | null;

  @Field(() => Int, { description: 'How many such acts this event stands for.' })
  count!: number;

  @Field(() => Date, { description: 'When the last of them happened.' })
  lastAt!: Date;
}

@ObjectType('PersonalData', {
  description: 'Everything that the gateway holds about a person (GDPR articles 15 and 20).',
})
export class PersonalDataType {
  @Field(() => Date, { description: 'When this was put together.' })
  generatedAt!: Date;

  @Field(() => PersonalAccountType, { description: 'The account.' })
  account!: PersonalAccountType;

  @Field(() => PersonalProfileType, { nullable: true, description: "A doctor's profile; otherwise null." })
  profile!: PersonalProfileType | null;

  @Items(1_000)
  @Field(() => [PersonalTokenType], { description: 'The newest 1,000 access tokens, the newest first.' })
  tokens!: PersonalTokenType[];

  @Items(100)
  @Field(() => [PersonalPasswordResetType], { description: 'The password resets that are still possible.' })
  passwordResets!: PersonalPasswordResetType[];

  @Items(200)
  @Field(() => [PersonalEmailLinkType], {
    description: 'The links to confirm an e-mail address that were not used.',
  })
  emailLinks!: PersonalEmailLinkType[];

  @Field(() => PersonalSecondFactorType, { nullable: true, description: 'null without one.' })
  secondFactor!: PersonalSecondFactorType | null;

  @Items(20)
  @Field(() => [PasskeyType], { description: 'The passkeys, the oldest first.' })
  passkeys!: PasskeyType[];

  @Items(2)
  @Field(() => [InvitationType], { description: 'The invitation, for 30 days after its end.' })
  invitations!: InvitationType[];

  @Items(100)
  @Field(() => [PersonalMailType], { description: 'The mails that wait to be sent.' })
  mails!: PersonalMailType[];

  @Items(1_000)
  @Field(() => [PersonalEventType], { description: 'The newest 1,000 events, the newest first.' })
  events!: PersonalEventType[];

  @Field(() => Boolean, { description: 'Whether there are more tokens or events than these.' })
  isTruncated!: boolean;
}
