import 'reflect-metadata';
import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import type { OperatorChanges } from '../../../auth/operators/operator-changes.ts';
import type { GraphqlContext } from '../context.ts';
import { Characters } from '../limits/answer-size.ts';
import { Sensitive } from '../limits/operation-rules.ts';
import {
  AccountChangeInput,
  EmailCorrectionInput,
  RequestedActInput,
  ResendMailInput,
} from './operators.inputs.ts';
import { AccountDetailsType, presentDetails } from './operators.types.ts';

const WHICH = { description: 'Which account, and why.' };
/** The argument of a change that needs nothing else. */
const Change = () => Arg('input', () => AccountChangeInput, WHICH);
const GUARDED =
  'If another of the acts that together open an account was done in the last seven days, it waits for another operator (`requested`).';

/** What operators change in the accounts of others. All need a proof of the second factor in the last 15 minutes. */
@Resolver()
export class OperatorChangeResolver {
  constructor(private readonly changes: OperatorChanges) {}

  @Sensitive()
  @Mutation(() => AccountDetailsType, { description: 'Blocks logins, and ends all sessions.' })
  async disableAccount(@Change() input: AccountChangeInput, @Ctx() { caller }: GraphqlContext) {
    return presentDetails(await this.changes.make('disabling', input, caller));
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, { description: 'Allows logins again, also to a closed account.' })
  async enableAccount(@Change() input: AccountChangeInput, @Ctx() { caller }: GraphqlContext) {
    return presentDetails(await this.changes.make('enabling', input, caller));
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, {
    description: 'Forgets failed logins and wrong codes. The limits of networks stay.',
  })
  async unlockAccount(@Change() input: AccountChangeInput, @Ctx() { caller }: GraphqlContext) {
    return presentDetails(await this.changes.make('unlocking', input, caller));
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, { description: 'Ends all sessions.' })
  async endSessions(@Change() input: AccountChangeInput, @Ctx() { caller }: GraphqlContext) {
    return presentDetails(await this.changes.make('revocation', input, caller));
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, {
    description: 'Closes an account as its owner can: it is erased after a time, unless it is enabled.',
  })
  async closeAccount(@Change() input: AccountChangeInput, @Ctx() { caller }: GraphqlContext) {
    return presentDetails(await this.changes.make('closing', input, caller));
  }

  @Sensitive()
  @Characters(2_000_000)
  @Mutation(() => String, {
    description:
      'Everything that the gateway holds about a person, in JSON: what `exportMyData` answers, without links to documents. The account has another `version` afterwards.',
  })
  exportAccount(@Change() input: AccountChangeInput, @Ctx() { caller }: GraphqlContext) {
    return this.changes.export(input, caller);
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, { description: 'Tries a waiting mail again at once.' })
  async resendMail(
    @Arg('input', () => ResendMailInput, WHICH) { mail, ...asked }: ResendMailInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AccountDetailsType> {
    return presentDetails(await this.changes.resendMail(mail, asked, caller));
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, {
    description: `Mails a link to a new password to the owner, shows it to nobody, and ends all sessions. ${GUARDED}`,
  })
  async sendResetLink(@Change() input: AccountChangeInput, @Ctx() { caller }: GraphqlContext) {
    return presentDetails(await this.changes.guarded('reset link', input, caller));
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, {
    description: `Removes second factor, passkeys and password of somebody who has lost them, and ends all sessions. ${GUARDED}`,
  })
  async removeSecondFactor(@Change() input: AccountChangeInput, @Ctx() { caller }: GraphqlContext) {
    return presentDetails(await this.changes.guarded('second factor reset', input, caller));
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, {
    description: `Mails a link to a new e-mail address, which counts when the link is used; the former one gets a notice at once. Ends all sessions. ${GUARDED}`,
  })
  async correctEmail(
    @Arg('input', () => EmailCorrectionInput, WHICH) input: EmailCorrectionInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AccountDetailsType> {
    return presentDetails(await this.changes.guarded('e-mail change', input, caller));
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, { description: 'Does the act that another operator has asked for.' })
  async confirmAct(
    @Arg('input', () => RequestedActInput, WHICH) { act, ...asked }: RequestedActInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AccountDetailsType> {
    return presentDetails(await this.changes.confirm(act, asked, caller));
  }

  @Sensitive()
  @Mutation(() => AccountDetailsType, { description: 'Declines the act that waits, or takes one back.' })
  async declineAct(
    @Arg('input', () => RequestedActInput, WHICH) { act, ...asked }: RequestedActInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AccountDetailsType> {
    return presentDetails(await this.changes.decline(act, asked, caller));
  }
}
