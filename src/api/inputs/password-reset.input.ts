import 'reflect-metadata';
import { ArgsType, Field, InputType } from 'type-graphql';
import type { PasswordReset } from '../../auth/passwords/passwords.ts';
import { Allow } from '../../patches/class-validator.ts';
import { Email, Example, Line, NewPassword, Optional, PASSWORD_RULES, Required } from './field-rules.ts';
import { Mutates } from './message-mutation.ts';

/** The fields of a request for a reset link. */
@ArgsType()
@Mutates({
  description:
    'Sends a link to choose a new password, once a minute at most. The answer is the same whether an account has the e-mail address or not. `NOT_FOUND` if the gateway sends no mails.',
  path: '/forgot-password',
  tag: 'password',
  summary: 'Ask for a reset link by e-mail',
  isSensitive: true,
  message: 'We have emailed your password reset link.',
  run: ({ email }: RequestPasswordResetInput, { passwords }, caller) => passwords.requestReset(email, caller),
})
export class RequestPasswordResetInput {
  @Field(() => String, { description: 'The e-mail address of the account.' })
  @Example('{{email}}')
  @Required()
  @Email()
  email!: string;
}

/** The fields of a reset of the password. */
@InputType({ description: 'A password reset token, and a new password.' })
@Mutates({
  description: "Sets a new password with the token of a reset link, and revokes all of the account's tokens.",
  input: 'The token and the new password.',
  path: '/reset-password',
  tag: 'password',
  summary: 'Set a new password with a reset token',
  isSensitive: true,
  message: 'Your password has been reset.',
  run: (input: ResetPasswordInput, { passwords }, caller) => passwords.reset(input.toReset(), caller),
})
@Example({ token: '', newPassword: 'battery staple {{unique}}' })
export class ResetPasswordInput {
  @Field(() => String, { description: 'The token from the link of the mail or of the operator.' })
  @Required()
  @Line()
  token!: string;

  /** Laravel's forms send it along. If it is sent, it must be that of the account. GraphQL does not have it. */
  @Optional()
  @Email()
  email?: string | undefined;

  @Field(() => String, {
    description: `The new password: ${PASSWORD_RULES}`,
  })
  @Required()
  @NewPassword('newPasswordConfirmation')
  newPassword!: string;

  @Allow()
  newPasswordConfirmation?: string | undefined;

  /** The input in the terms of the service. */
  toReset(): PasswordReset {
    const { token, newPassword, email } = this;
    return { token, newPassword, email };
  }
}
