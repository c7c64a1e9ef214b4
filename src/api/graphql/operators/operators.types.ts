import 'reflect-metadata';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import {
  type AccountDetails,
  type AskedAct,
  EVENTS_OF_ACCOUNT,
  type ListedAccount,
  type OperatorOverview,
  type Page,
  type WaitingAct,
} from '../../../auth/operators/operator-queries.ts';
import type { SetUpDone } from '../../../auth/operators/set-up.ts';
import { MAX_PASSKEYS } from '../../../auth/passkeys/own-passkeys.ts';
import type { Authenticated } from '../../../auth/registration.ts';
import { deviceOf, MAX_ORIGIN_CHARACTERS, shownOrigin } from '../../../auth/tokens/devices.ts';
import type { AccessToken } from '../../../auth/tokens/token-lifetimes.ts';
import { ROLES, type Role } from '../../../stores/accounts.ts';
import type { AuditEvent } from '../../../stores/audit-events.ts';
import { VERIFICATION_STATUSES, type VerificationStatus } from '../../../stores/doctors.ts';
import type { WaitingMessage } from '../../../stores/messages.ts';
import { GUARDED_ACTS } from '../../../stores/operator-acts.ts';
import { Characters, Items } from '../limits/answer-size.ts';
import { MAX_PAGE } from './operators.inputs.ts';

/** Access tokens of an account that are shown. */
const MANY_DEVICES = 100;
const LONG_TEXT = 1_000;

@ObjectType('PageInfo', { description: 'Whether there is more of a list.' })
class PageInfoType {
  @Field(() => Boolean, {
    description: 'Whether there may be more. A page may be short, or empty, before the end.',
  })
  hasNextPage!: boolean;

  @Field(() => String, { nullable: true, description: 'For `after`; null at the end.' })
  endCursor!: string | null;
}

const pageInfoOf = ({ nextAfter }: Page<unknown>): PageInfoType => ({
  hasNextPage: nextAfter !== null,
  endCursor: nextAfter,
});

@ObjectType('Operator', { description: 'Who is logged in: an operator, or a reviewer.' })
export class OperatorType {
  @Field(() => ID, { description: 'The id of the account.' })
  id!: string;

  @Field(() => String, { description: 'The name of the person.' })
  name!: string;

  @Field(() => String, { description: 'The e-mail address.' })
  email!: string;

  @Field(() => ROLES, { description: 'Operator or reviewer.' })
  role!: Role;
}

@ObjectType('OperatorSession', { description: 'A login.' })
export class OperatorSessionType {
  @Field(() => String, {
    description: 'The access token, shown only here. That of a reviewer works in the other APIs, too.',
  })
  token!: string;

  @Field(() => OperatorType, { description: 'Who has logged in.' })
  operator!: OperatorType;
}

export const presentSession = ({ token, account }: Authenticated): OperatorSessionType => ({
  token,
  operator: account,
});

@ObjectType('SetUpDone', { description: 'The end of a set-up, which is a login, too.' })
export class SetUpDoneType extends OperatorSessionType {
  @Items(10)
  @Field(() => [String], {
    description: 'Recovery codes, shown only here. Each works once, in place of a code of the app.',
  })
  recoveryCodes!: string[];
}

export const presentSetUp = (done: SetUpDone): SetUpDoneType => ({
  ...presentSession(done),
  recoveryCodes: done.recoveryCodes,
});

@ObjectType('RoleCount', { description: 'The active accounts of a role.' })
class RoleCountType {
  @Field(() => ROLES, { description: 'The role.' })
  role!: Role;

  @Field(() => Int, { description: 'How many have a second factor.' })
  withTwoFactor!: number;

  @Field(() => Int, { description: 'How many have none.' })
  withoutTwoFactor!: number;
}

@ObjectType('Counts', {
  description: 'Numbers that are at most a minute old, and the same for all instances.',
})
class CountsType {
  @Items(Object.keys(ROLES).length)
  @Field(() => [RoleCountType], { description: 'The active accounts, by role.' })
  active!: RoleCountType[];

  @Field(() => Int, { description: 'Disabled accounts, the closed ones included.' })
  disabled!: number;

  @Field(() => Int, { description: 'Closed accounts, which wait for their erasure.' })
  closed!: number;

  @Field(() => Int, { description: 'Doctors who wait for a decision. Beyond 1,000 they are not counted.' })
  pendingDoctors!: number;

  @Field(() => Date, {
    nullable: true,
    description: 'Since when the first of them has waited; null if nobody waits.',
  })
  oldestPendingAt!: Date | null;
}

@ObjectType('Overview', { description: 'What there is to do, and whether the gateway works.' })
export class OverviewType {
  @Field(() => CountsType, { nullable: true, description: 'Null while they are counted for the first time.' })
  counts!: CountsType | null;

  @Field(() => Int, { nullable: true, description: 'Mails that wait to be sent; null if no mails are sent.' })
  waitingMails!: number | null;

  @Field(() => Int, { description: 'Acts that wait for another operator.' })
  requestedActs!: number;

  @Field(() => Date, {
    nullable: true,
    description: 'When the last backup was made; null if there is none, or the database makes its own.',
  })
  lastBackupAt!: Date | null;

  @Items(10)
  @Field(() => [String], { description: 'What does not work; empty if everything does.' })
  problems!: string[];

  @Field(() => String, { description: 'The release of the gateway.' })
  version!: string;
}

export const presentOverview = ({ counts, ...others }: OperatorOverview): OverviewType => ({
  ...others,
  counts: counts
    ? {
        ...counts,
        active: counts.active.map(({ role, on, off }) => ({
          role,
          withTwoFactor: on,
          withoutTwoFactor: off,
        })),
      }
    : null,
});

@ObjectType('ListedAccount', { description: 'An account in a list.' })
export class ListedAccountType {
  @Field(() => ID, { description: 'The id of the account.' })
  id!: string;

  @Field(() => String, { description: 'The name of the person.' })
  name!: string;

  @Field(() => String, { description: 'The e-mail address.' })
  email!: string;

  @Field(() => Date, { nullable: true, description: 'When the e-mail was proven; null if it is not.' })
  emailVerifiedAt!: Date | null;

  @Field(() => String, { nullable: true, description: 'The telephone number.' })
  phone!: string | null;

  @Field(() => ROLES, { description: 'The role.' })
  role!: Role;

  @Field(() => String, { description: '`active`, `disabled`, `closed`, `absent` or `being erased`.' })
  state!: string;

  @Field(() => Boolean, { description: 'Whether there is an authenticator app or a passkey.' })
  hasTwoFactor!: boolean;

  @Field(() => Date, { nullable: true, description: 'When the account was registered.' })
  createdAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'Since when it is disabled.' })
  disabledAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it is erased, if it is closed.' })
  erasureDueAt!: Date | null;
}

export const presentListed = ({ hasSecondFactor, ...account }: ListedAccount): ListedAccountType => ({
  ...account,
  hasTwoFactor: hasSecondFactor,
  erasureDueAt: account.erasureDueAt ?? null,
});

@ObjectType('AccountPage', { description: 'A part of the accounts.' })
export class AccountPageType {
  @Items({ argument: 'first', most: MAX_PAGE })
  @Field(() => [ListedAccountType], { description: 'The accounts, the newest first.' })
  nodes!: ListedAccountType[];

  @Field(() => PageInfoType, { description: 'Whether there are more.' })
  pageInfo!: PageInfoType;
}

export const presentAccounts = (page: Page<ListedAccount>): AccountPageType => ({
  nodes: page.items.map(presentListed),
  pageInfo: pageInfoOf(page),
});

@ObjectType('Device', { description: 'A session of an account.' })
class DeviceType {
  @Field(() => Date, { description: 'When its access token was issued.' })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When it was last used, if that is known.' })
  lastUsedAt!: Date | null;

  @Characters(MAX_ORIGIN_CHARACTERS)
  @Field(() => String, { nullable: true, description: 'The program, such as "Firefox on Android".' })
  device!: string | null;

  @Characters(MAX_ORIGIN_CHARACTERS)
  @Field(() => String, { nullable: true, description: 'The IP address, of IPv6 the /64 network.' })
  ip!: string | null;
}

const presentDevice = (token: AccessToken): DeviceType => ({ ...token, ...shownOrigin(token) });

@ObjectType('SecondFactor', { description: 'The second factors of an account.' })
class SecondFactorType {
  @Field(() => Boolean, { description: 'Whether there is an authenticator app.' })
  enabled!: boolean;

  @Field(() => Date, { nullable: true, description: 'When the app was confirmed.' })
  confirmedAt!: Date | null;

  @Field(() => Int, { description: 'How many recovery codes were not used.' })
  recoveryCodesLeft!: number;

  @Field(() => Int, { description: 'How many wrong codes there were in a row.' })
  wrongCodes!: number;

  @Field(() => Boolean, { description: 'Whether the role needs a second factor.' })
  required!: boolean;
}

@ObjectType('KnownPasskey', { description: 'A passkey of an account.' })
class KnownPasskeyType {
  @Field(() => String, { description: 'The name that its owner has given it.' })
  name!: string;

  @Field(() => Date, { nullable: true, description: 'When it was added.' })
  createdAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it was last used.' })
  lastUsedAt!: Date | null;
}

@ObjectType('KnownVerification', { description: 'The review of a doctor.' })
class KnownVerificationType {
  @Field(() => VERIFICATION_STATUSES, { description: 'The status.' })
  status!: VerificationStatus;

  @Field(() => Date, { nullable: true, description: 'When a reviewer last decided.' })
  decidedAt!: Date | null;

  @Characters(LONG_TEXT)
  @Field(() => String, { nullable: true, description: 'The reason of the last decision.' })
  reason!: string | null;

  @Field(() => Date, { nullable: true, description: 'When it ends, or has ended; null: never.' })
  until!: Date | null;
}

const MAX_MAILS = 100;

@ObjectType('WaitingMail', { description: 'A mail that waits to be sent.' })
class WaitingMailType {
  @Field(() => ID, { description: 'Its id.' })
  id!: string;

  @Field(() => String, { description: 'What it is about.' })
  kind!: string;

  @Field(() => Date, { description: 'When it was ordered.' })
  orderedAt!: Date;

  @Field(() => Int, { description: 'How often it was tried.' })
  attempts!: number;

  @Field(() => Date, { nullable: true, description: 'When it is tried again.' })
  dueAt!: Date | null;
}

const presentMail = ({ dueAt, ...mail }: WaitingMessage): WaitingMailType => ({
  ...mail,
  dueAt: dueAt ?? null,
});

@ObjectType('AuditEvent', { description: 'An event of the audit trail.' })
export class AuditEventType {
  @Field(() => ID, { description: 'Its id.' })
  id!: string;

  @Field(() => Date, { description: 'When it happened; the first act of a sum.' })
  at!: Date;

  @Field(() => String, {
    description: 'What was done, as the audit trail has it, such as `second factor reset`.',
  })
  act!: string;

  @Field(() => String, { description: '`success`, `failure` or `unknown`.' })
  outcome!: string;

  @Characters(LONG_TEXT)
  @Field(() => String, { nullable: true, description: 'Why it failed, or why somebody did it.' })
  reason!: string | null;

  @Field(() => ID, { nullable: true, description: 'The account that it is about.' })
  account!: string | null;

  @Field(() => ID, { nullable: true, description: 'The operator or reviewer who did it to that account.' })
  actor!: string | null;

  @Field(() => String, { nullable: true, description: 'Who did it at the command line.' })
  commandLineOperator!: string | null;

  @Field(() => String, { description: 'The API or program that was used.' })
  channel!: string;

  @Field(() => String, { description: 'The IP address; empty if there is none.' })
  ip!: string;

  @Field(() => String, { nullable: true, description: 'The program of the sender, as it calls itself.' })
  userAgent!: string | null;

  @Field(() => String, { nullable: true, description: 'That program, such as "Firefox on Android".' })
  device!: string | null;

  @Field(() => Int, { nullable: true, description: 'How many acts it sums up; null for one act.' })
  count!: number | null;
}

export const presentEvent = (event: AuditEvent): AuditEventType => ({
  id: event._id,
  at: event.at,
  act: event.act,
  outcome: event.outcome,
  reason: event.reason ?? null,
  account: event.accountId ?? null,
  actor: event.byAccountId ?? null,
  commandLineOperator: event.operator ?? null,
  channel: event.channel,
  ip: event.ip ?? '',
  userAgent: event.userAgent ?? null,
  device: deviceOf(event.userAgent ?? undefined) ?? null,
  count: event.count ?? null,
});

@ObjectType('AuditEventPage', { description: 'A part of the audit trail.' })
export class AuditEventPageType {
  @Items({ argument: 'first', most: MAX_PAGE })
  @Field(() => [AuditEventType], { description: 'The events, the newest first.' })
  nodes!: AuditEventType[];

  @Field(() => PageInfoType, { description: 'Whether there are more.' })
  pageInfo!: PageInfoType;
}

export const presentEvents = (page: Page<AuditEvent>): AuditEventPageType => ({
  nodes: page.items.map(presentEvent),
  pageInfo: pageInfoOf(page),
});

@ObjectType('RequestedAct', { description: 'An act that waits for another operator, for at most a day.' })
class RequestedActType {
  @Field(() => ID, { description: 'Its id.' })
  id!: string;

  @Field(() => String, { description: '`e-mail change`, `second factor reset` or `reset link`.' })
  act!: string;

  @Field(() => String, { nullable: true, description: 'The new e-mail address.' })
  email!: string | null;

  @Field(() => String, { description: 'Why.' })
  reason!: string;

  @Field(() => ID, { description: 'The account of the operator who asks. Another one must confirm it.' })
  requestedBy!: string;

  @Field(() => String, { nullable: true, description: 'The name of that operator; null for a former one.' })
  requestedByName!: string | null;

  @Field(() => Date, { description: 'When it was asked for.' })
  at!: Date;
}

const presentRequested = ({ email, ...act }: AskedAct): RequestedActType => ({
  ...act,
  email: email ?? null,
});

@ObjectType('WaitingAct', { description: 'An act that waits for another operator, and its account.' })
export class WaitingActType extends RequestedActType {
  @Field(() => ListedAccountType, { description: 'The account.' })
  account!: ListedAccountType;

  @Field(() => ID, { description: 'The version of the account, for the confirmation.' })
  version!: string;
}

export const presentWaiting = ({ account, version, ...act }: WaitingAct): WaitingActType => ({
  ...presentRequested(act),
  account: presentListed(account),
  version,
});

@ObjectType('AccountDetails', { description: 'All that an operator sees of an account.' })
export class AccountDetailsType extends ListedAccountType {
  @Field(() => ID, {
    description: 'For the next change. It is another one after each change of the account.',
  })
  version!: string;

  @Field(() => String, { nullable: true, description: 'The date of birth, `YYYY-MM-DD`.' })
  dateOfBirth!: string | null;

  @Field(() => String, { nullable: true, description: 'The language of the mails to it.' })
  language!: string | null;

  @Items(MANY_DEVICES)
  @Field(() => [DeviceType], { description: 'The sessions, the newest first; at most 100.' })
  devices!: DeviceType[];

  @Field(() => SecondFactorType, { description: 'App and recovery codes.' })
  secondFactor!: SecondFactorType;

  @Items(MAX_PASSKEYS)
  @Field(() => [KnownPasskeyType], { description: 'The passkeys, the oldest first.' })
  passkeys!: KnownPasskeyType[];

  @Field(() => KnownVerificationType, { nullable: true, description: 'The review of a doctor.' })
  verification!: KnownVerificationType | null;

  @Items(MAX_MAILS)
  @Field(() => [WaitingMailType], { description: 'The mails to the account that wait.' })
  mails!: WaitingMailType[];

  @Items(EVENTS_OF_ACCOUNT)
  @Field(() => [AuditEventType], { description: 'The last events about the account, the newest first.' })
  events!: AuditEventType[];

  @Field(() => RequestedActType, { nullable: true, description: 'The act that waits for another operator.' })
  requested!: RequestedActType | null;

  @Items(GUARDED_ACTS.length)
  @Characters(40)
  @Field(() => [String], {
    description:
      'Those of `e-mail change`, `second factor reset` and `reset link` that would need another operator now.',
  })
  guarded!: string[];
}

export const presentDetails = (details: AccountDetails): AccountDetailsType => ({
  ...presentListed(details),
  version: details.version,
  dateOfBirth: details.dateOfBirth,
  language: details.language ?? null,
  devices: details.devices.map(presentDevice),
  secondFactor: details.secondFactor,
  passkeys: details.passkeys,
  verification: details.verification ? { until: null, ...details.verification } : null,
  mails: details.mails.map(presentMail),
  events: details.events.map(presentEvent),
  requested: details.requested ? presentRequested(details.requested) : null,
  guarded: [...details.guarded],
});
