import 'reflect-metadata';
import { ArgsType, Field, InputType } from 'type-graphql';
import type { PasswordReset } from '../../auth/passwords/passwords.ts';
import { Allow } from '../../patches/class-validator.ts';
import { Email, Example, Line, NewPassword, Optional, PASSWORD_RULES, Required } from './field-rules.ts';

/** The fields of a request for a reset link. */
@ArgsType()
export class RequestPasswordResetInput {
  @Field(() => String, { description: 'The e-mail address of the account.' })
  @Example('{{email}}')
  @Required()
  @Email()
  email!: string;
}

/** The fields of a reset of the password. */
@InputType({ description: 'A password reset token, and a new password.' })
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
