import 'reflect-metadata';
import { Arg, Args, Ctx, Field, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { PasswordService } from '../../../auth/passwords/password-service.ts';
import { ChangePasswordInput } from '../../inputs/change-password.input.ts';
import { RequestPasswordResetInput, ResetPasswordInput } from '../../inputs/password-reset.input.ts';
import type { GraphqlContext } from '../context.ts';
import { Sensitive } from '../limits/operation-rules.ts';

@ObjectType('MessagePayload', { description: 'The success of an act.' })
class MessagePayload {
  @Field(() => String, { description: 'The success in words for people.' })
  message!: string;
}

@ObjectType('ChangePasswordPayload', { description: 'The success of a change of the password.' })
class ChangePasswordPayload {
  @Field(() => String, { description: 'The success in words for people.' })
  message!: string;

  @Field(() => Int, { description: 'How many tokens were revoked.' })
  revokedTokens!: number;
}

@Resolver()
export class PasswordResolver {
  constructor(private readonly passwords: PasswordService) {}

  @Sensitive()
  @Mutation(() => ChangePasswordPayload, {
    description:
      "Changes the account's password. Wrong current passwords count like failed logins. A mail tells the owner, if mails are sent.",
  })
  async changePassword(
    @Arg('input', () => ChangePasswordInput, { description: 'The current and the new password.' })
    input: ChangePasswordInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<ChangePasswordPayload> {
    const revokedTokens = await this.passwords.change(input.toRequest(), caller);
    return { message: 'Your password has been changed.', revokedTokens };
  }

  @Sensitive()
  @Mutation(() => MessagePayload, {
    description:
      'Sends a link to choose a new password, once a minute at most. The answer is the same whether an account has the e-mail address or not. `NOT_FOUND` if the gateway sends no mails.',
  })
  async requestPasswordReset(
    @Args(() => RequestPasswordResetInput) { email }: RequestPasswordResetInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    await this.passwords.requestReset(email, caller);
    return { message: 'We have emailed your password reset link.' };
  }

  @Sensitive()
  @Mutation(() => MessagePayload, {
    description:
      "Sets a new password with the token of a reset link, and revokes all of the account's tokens.",
  })
  async resetPassword(
    @Arg('input', () => ResetPasswordInput, { description: 'The token and the new password.' })
    input: ResetPasswordInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    await this.passwords.reset(input.toReset(), caller);
    return { message: 'Your password has been reset.' };
  }
}
