import 'reflect-metadata';
import { Arg, Args, Ctx, Mutation, Resolver } from 'type-graphql';
import type { Emails } from '../../../auth/emails/emails.ts';
import { ChangeEmailInput, VerifyEmailInput } from '../../inputs/email.input.ts';
import { RequestEmailVerificationInput } from '../../inputs/two-factor.input.ts';
import type { GraphqlContext } from '../context.ts';
import { Sensitive } from '../limits/operation-rules.ts';
import { MessagePayload } from '../types/message-payload.type.ts';

@Resolver()
export class EmailResolver {
  constructor(private readonly emails: Emails) {}

  @Sensitive()
  @Mutation(() => MessagePayload, {
    description:
      "Sends a link that confirms the account's e-mail address, once a minute at most; no link if it is confirmed already. `NOT_FOUND` if the gateway sends no such links.",
  })
  async requestEmailVerification(
    @Args(() => RequestEmailVerificationInput) { challenge }: RequestEmailVerificationInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    const isOrdered = await this.emails.requestVerification(caller, challenge);
    return {
      message: isOrdered
        ? 'We have emailed your verification link.'
        : 'Your e-mail address is verified already.',
    };
  }

  @Sensitive()
  @Mutation(() => MessagePayload, {
    description:
      'Confirms an e-mail address with the token of a mailed link; by the link of a change, the account gets the new one. Needs no access token. Call it when a person presses a button, not when the page is opened: programs open the links of mails, too.',
  })
  async verifyEmail(
    @Args(() => VerifyEmailInput) { token }: VerifyEmailInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    await this.emails.verify(token, caller);
    return { message: 'Your e-mail address is verified.' };
  }

  @Sensitive()
  @Mutation(() => MessagePayload, {
    description:
      'Sends a link to a new e-mail address; the account gets it when the link is used. A notice goes to the present address. The answer is the same if another account has the new address. `NOT_FOUND` if the gateway sends no such links.',
  })
  async changeEmail(
    @Arg('input', () => ChangeEmailInput, { description: 'The new address and the password.' })
    input: ChangeEmailInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    await this.emails.requestChange(input, caller);
    return { message: 'We have emailed a verification link to the new address.' };
  }
}
