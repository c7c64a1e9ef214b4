import 'reflect-metadata';
import { Arg, Ctx, Field, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { Passwords } from '../../../auth/passwords/passwords.ts';
import type { Sessions } from '../../../auth/tokens/sessions.ts';
import { ChangePasswordInput } from '../../inputs/change-password.input.ts';
import { OPERATIONS } from '../../inputs/operations.ts';
import type { GraphqlContext } from '../context.ts';

@ObjectType('ChangePasswordPayload', { description: 'The success of a change of the password.' })
class ChangePasswordPayload {
  @Field(() => String, { description: 'The success in words for people.' })
  message!: string;

  @Field(() => Int, { description: 'How many tokens were revoked.' })
  revokedTokens!: number;
}

interface PasswordParts {
  sessions: Sessions;
  passwords: Passwords;
}

@Resolver()
export class PasswordResolver {
  constructor(private readonly parts: PasswordParts) {}

  @Mutation(() => ChangePasswordPayload, {
    description:
      "Changes the account's password. Wrong current passwords count like failed logins. A mail tells the owner, if mails are sent.",
  })
  async changePassword(
    @Arg('input', () => ChangePasswordInput, { description: 'The current and the new password.' })
    input: ChangePasswordInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<ChangePasswordPayload> {
    const session = await this.parts.sessions.authorize(OPERATIONS.changePassword, caller);
    const revokedTokens = await this.parts.passwords.change(input.toRequest(), session, caller);
    return { message: 'Your password has been changed.', revokedTokens };
  }
}
