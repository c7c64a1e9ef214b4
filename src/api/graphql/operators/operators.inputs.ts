import 'reflect-metadata';
import { ArgsType, Field, ID, InputType, Int, registerEnumType } from 'type-graphql';
import type { Invited } from '../../../auth/admin/invitation-admin.ts';
import type { AskedChange } from '../../../auth/operators/operator-changes.ts';
import {
  ACCOUNT_STATES,
  type AccountsQuery,
  type ListedState,
} from '../../../auth/operators/operator-queries.ts';
import type { SetUpEnd } from '../../../auth/operators/set-up.ts';
import { trim } from '../../../auth/text-rules.ts';
import { Allow } from '../../../patches/class-validator.ts';
import { ROLES, type Role } from '../../../stores/accounts.ts';
import {
  AUDIT_OUTCOMES,
  AUDITED_ACTS,
  type AuditedAct,
  type AuditOutcome,
} from '../../../stores/audit-events.ts';
import { INVITED_ROLES, type InvitedRole } from '../../../stores/roles.ts';
import {
  JudgedLater,
  Line,
  NewEmail,
  NewPassword,
  Optional,
  PASSWORD_RULES,
  Required,
  WholeNumber,
} from '../../inputs/field-rules.ts';

/** How many items a page has at most. */
export const MAX_PAGE = 100;
const DEFAULT_PAGE = 25;

registerEnumType(ROLES, {
  name: 'Role',
  description: 'The role of an account.',
  valuesConfig: {
    DOCTOR: { description: 'Registered with a profile and three documents.' },
    PATIENT: { description: 'Registered with account details only.' },
    REVIEWER: { description: 'Looks at the documents of doctors.' },
    OPERATOR: { description: 'Helps people, by this API.' },
  },
});

registerEnumType(ACCOUNT_STATES, {
  name: 'AccountState',
  description: 'Whether an account can be used.',
  valuesConfig: {
    ACTIVE: { description: 'Its owner can log in.' },
    DISABLED: { description: 'Nobody can log in, until it is enabled.' },
    CLOSED: { description: 'It waits for its erasure, until it is enabled.' },
  },
});

/** Names of an enum, where the stored texts have blanks: `second factor reset` is SECOND_FACTOR_RESET. */
const nameOf = (text: string): string => text.toUpperCase().replace(/\W+/g, '_');
const asEnum = <T extends string>(values: readonly T[]): Record<string, T> =>
  Object.fromEntries(values.map((value) => [nameOf(value), value]));

export const ACTS = asEnum(AUDITED_ACTS);
export const OUTCOMES = asEnum(AUDIT_OUTCOMES);

registerEnumType(ACTS, { name: 'AuditedAct', description: 'What the audit trail records.' });
registerEnumType(OUTCOMES, {
  name: 'AuditOutcome',
  description: 'How an act ended. `UNKNOWN`: the database did not answer, so that it may have been done.',
});

/** Which page of a list. */
@ArgsType()
class PageArgs {
  @Field(() => Int, {
    nullable: true,
    defaultValue: DEFAULT_PAGE,
    description: `How many at most, from 1 to ${MAX_PAGE}.`,
  })
  @Optional()
  @WholeNumber(1, MAX_PAGE)
  first?: number | undefined;

  @Field(() => String, { nullable: true, description: '`endCursor` of the page before.' })
  @Optional()
  @Line()
  after?: string | undefined;

  protected get page() {
    const { first = DEFAULT_PAGE, after } = this;
    return { first, after: after ?? undefined };
  }
}

/** Which accounts. */
@ArgsType()
export class AccountsArgs extends PageArgs {
  @Field(() => String, {
    nullable: true,
    description:
      'The beginning of an e-mail address or of a telephone number, or beginnings of the words of a name. At least three characters, or a whole name of two.',
  })
  @Optional()
  @Line()
  search?: string | undefined;

  @Field(() => ROLES, { nullable: true, description: 'Only accounts of this role.' })
  @Allow()
  role?: Role | undefined;

  @Field(() => ACCOUNT_STATES, { nullable: true, description: 'Only accounts in this state.' })
  @Allow()
  state?: ListedState | undefined;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: false,
    description: 'Only accounts without a second factor.',
  })
  @Allow()
  withoutTwoFactor?: boolean | undefined;

  /** The arguments in the terms of the service. An empty search finds everybody. */
  toQuery(): AccountsQuery {
    const { role, state, withoutTwoFactor, search } = this;
    const text = trim(search ?? '');
    return {
      ...this.page,
      ...{ role: role ?? undefined, state: state ?? undefined, withoutTwoFactor: withoutTwoFactor ?? false },
      search: text === '' ? undefined : text,
    };
  }
}

/** Which account. */
@ArgsType()
export class AccountArgs {
  @Field(() => ID, { description: 'The id of the account.' })
  @Required()
  @Line()
  id!: string;
}

/** Which events. */
@ArgsType()
export class AuditEventsArgs extends PageArgs {
  @Field(() => ID, { nullable: true, description: 'Only events about this account.' })
  @Optional()
  @Line()
  account?: string | undefined;

  @Field(() => ID, {
    nullable: true,
    description: 'Only what this account did to others: an operator or a reviewer.',
  })
  @Optional()
  @Line()
  actor?: string | undefined;

  @Field(() => ACTS, { nullable: true, description: 'Only this act.' })
  @Allow()
  act?: AuditedAct | undefined;

  @Field(() => OUTCOMES, { nullable: true, description: 'Only this outcome.' })
  @Allow()
  outcome?: AuditOutcome | undefined;

  @Field(() => Date, { nullable: true, description: 'Only events from this moment on.' })
  @Allow()
  since?: Date | undefined;

  @Field(() => Date, { nullable: true, description: 'Only events before this moment.' })
  @Allow()
  until?: Date | undefined;

  /** The arguments in the terms of the service. */
  toQuery() {
    const { account, actor, act, outcome, since, until } = this;
    return {
      ...this.page,
      ...{ accountId: account ?? undefined, byAccountId: actor ?? undefined, act: act ?? undefined },
      ...{ outcome: outcome ?? undefined, since: since ?? undefined, until: until ?? undefined },
    };
  }
}

/** A change of an account. */
@InputType('AccountChangeInput', { description: 'Which account is changed, and why.' })
export class AccountChangeInput implements AskedChange {
  @Field(() => ID, { description: 'The id of the account.' })
  @Required()
  @Line()
  account!: string;

  @Field(() => ID, {
    description:
      '`version` of the account, as it was read. If it has changed since, the answer is `CONFLICT`.',
  })
  @Required()
  @Line()
  version!: string;

  @Field(() => String, { description: 'Why, in one line. The audit trail keeps it.' })
  @Required()
  @Line()
  reason!: string;
}

/** A change of the e-mail. */
@InputType('EmailCorrectionInput', { description: 'Which account gets another e-mail address, and why.' })
export class EmailCorrectionInput extends AccountChangeInput {
  @Field(() => String, { description: 'The new e-mail address.' })
  @Required()
  @NewEmail()
  email!: string;
}

/** A mail that is sent again. */
@InputType('ResendMailInput', { description: 'Which mail to which account is sent again, and why.' })
export class ResendMailInput extends AccountChangeInput {
  @Field(() => ID, { description: 'The id of the mail.' })
  @Required()
  @Line()
  mail!: string;
}

/** An answer to an act that waits for another operator. */
@InputType('RequestedActInput', { description: 'Which act that waits is confirmed or declined, and why.' })
export class RequestedActInput extends AccountChangeInput {
  @Field(() => ID, { description: 'The id of the act.' })
  @Required()
  @Line()
  act!: string;
}

/** Whom an operator invites. */
@InputType('InviteInput', { description: 'Who is invited to register.' })
export class InviteInput implements Invited {
  @Field(() => String, { description: 'The e-mail address. No account may have it.' })
  @Required()
  @NewEmail()
  email!: string;

  @Field(() => INVITED_ROLES, { description: 'As what.' })
  @Allow()
  role!: InvitedRole;

  @Field(() => String, { description: 'The name of the person.' })
  @Required()
  @Line()
  name!: string;
}

/** Which invitation. */
@ArgsType()
export class InvitationIdArgs {
  @Field(() => ID, { description: 'The id of the invitation.' })
  @Required()
  @Line()
  id!: string;
}

/** The beginning of a set-up. */
@InputType('BeginSetUpInput', { description: 'The token of a link that the command line has printed.' })
export class BeginSetUpInput {
  @Field(() => String, { description: 'The token of the link.' })
  @Required()
  @Line()
  token!: string;
}

/** The end of a set-up. */
@InputType('FinishSetUpInput', {
  description: 'A new password, and the first code of the authenticator app.',
})
export class FinishSetUpInput implements SetUpEnd {
  @Field(() => String, { description: 'The token of the link.' })
  @Required()
  @Line()
  token!: string;

  @Field(() => String, { description: `The new password: ${PASSWORD_RULES}` })
  @Required()
  @NewPassword('newPasswordConfirmation')
  newPassword!: string;

  @Field(() => String, { description: 'A code that the new app shows.' })
  @Required()
  @JudgedLater()
  code?: unknown;
}
