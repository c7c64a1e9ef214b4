import 'reflect-metadata';
import { Arg, Args, Ctx, Mutation, Resolver } from 'type-graphql';
import type { Passwords } from '../../../auth/passwords/passwords.ts';
import { RequestPasswordResetInput, ResetPasswordInput } from '../../inputs/password-reset.input.ts';
import type { GraphqlContext } from '../context.ts';
import { MessagePayload } from '../types/message-payload.type.ts';

interface ForgottenPasswordParts {
  passwords: Passwords;
}

@Resolver()
export class ForgottenPasswordResolver {
  constructor(private readonly parts: ForgottenPasswordParts) {}

  @Mutation(() => MessagePayload, {
    description:
      'Sends a link to choose a new password, once a minute at most. The answer is the same whether an account has the e-mail address or not. `NOT_FOUND` if the gateway sends no mails.',
  })
  async requestPasswordReset(
    @Args(() => RequestPasswordResetInput) { email }: RequestPasswordResetInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    await this.parts.passwords.requestReset(email, caller);
    return { message: 'We have emailed your password reset link.' };
  }

  @Mutation(() => MessagePayload, {
    description:
      "Sets a new password with the token of a reset link, and revokes all of the account's tokens.",
  })
  async resetPassword(
    @Arg('input', () => ResetPasswordInput, { description: 'The token and the new password.' })
    input: ResetPasswordInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    await this.parts.passwords.reset(input.toReset(), caller);
    return { message: 'Your password has been reset.' };
  }
}
