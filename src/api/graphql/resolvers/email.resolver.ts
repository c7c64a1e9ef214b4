import 'reflect-metadata';
import { Arg, Args, Ctx, Mutation, Resolver } from 'type-graphql';
import type { Emails } from '../../../auth/emails/emails.ts';
import type { Sessions } from '../../../auth/tokens/sessions.ts';
import type { EnrolmentAccess } from '../../../auth/two-factor/enrolment-access.ts';
import { ChangeEmailInput, VerifyEmailInput } from '../../inputs/email.input.ts';
import { OPERATIONS } from '../../inputs/operations.ts';
import { RequestEmailVerificationInput } from '../../inputs/two-factor.input.ts';
import type { GraphqlContext } from '../context.ts';
import { MessagePayload } from '../types/message-payload.type.ts';

interface EmailParts {
  sessions: Sessions;
  enrolmentAccess: EnrolmentAccess;
  emails: Emails;
}

@Resolver()
export class EmailResolver {
  constructor(private readonly parts: EmailParts) {}

  @Mutation(() => MessagePayload, {
    description:
      "Sends a link that confirms the account's e-mail address, once a minute at most; no link if it is confirmed already. `NOT_FOUND` if the gateway sends no such links.",
  })
  async requestEmailVerification(
    @Args(() => RequestEmailVerificationInput) { challenge }: RequestEmailVerificationInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    const { requestEmailVerification } = OPERATIONS;
    const admitted = await this.parts.enrolmentAccess.authorize(requestEmailVerification, challenge, caller);
    const isOrdered = await this.parts.emails.requestVerification(admitted, caller);
    return {
      message: isOrdered
        ? 'We have emailed your verification link.'
        : 'Your e-mail address is verified already.',
    };
  }

  @Mutation(() => MessagePayload, {
    description:
      'Confirms an e-mail address with the token of a mailed link; by the link of a change, the account gets the new one. Needs no access token. Call it when a person presses a button, not when the page is opened: programs open the links of mails, too.',
  })
  async verifyEmail(
    @Args(() => VerifyEmailInput) { token }: VerifyEmailInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    await this.parts.emails.verify(token, caller);
    return { message: 'Your e-mail address is verified.' };
  }

  @Mutation(() => MessagePayload, {
    description:
      'Sends a link to a new e-mail address; the account gets it when the link is used. A notice goes to the present address. The answer is the same if another account has the new address. `NOT_FOUND` if the gateway sends no such links.',
  })
  async changeEmail(
    @Arg('input', () => ChangeEmailInput, { description: 'The new address and the password.' })
    input: ChangeEmailInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    const session = await this.parts.sessions.authorize(OPERATIONS.changeEmail, caller);
    await this.parts.emails.requestChange(input, session, caller);
    return { message: 'We have emailed a verification link to the new address.' };
  }
}
