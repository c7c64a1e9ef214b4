import 'reflect-metadata';
import { Arg, Ctx, Field, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { Passwords } from '../../../auth/passwords/passwords.ts';
import { ChangePasswordInput } from '../../inputs/change-password.input.ts';
import type { GraphqlContext } from '../context.ts';
import { Sensitive } from '../limits/operation-rules.ts';

@ObjectType('ChangePasswordPayload', { description: 'The success of a change of the password.' })
class ChangePasswordPayload {
  @Field(() => String, { description: 'The success in words for people.' })
  message!: string;

  @Field(() => Int, { description: 'How many tokens were revoked.' })
  revokedTokens!: number;
}

@Resolver()
export class PasswordResolver {
  constructor(private readonly passwords: Passwords) {}

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
}
