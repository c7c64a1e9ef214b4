import 'reflect-metadata';
import { Field, InputType } from 'type-graphql';
import type { PasswordChangeRequest } from '../../auth/passwords/passwords.ts';
import { Allow } from '../../patches/class-validator.ts';
import { Example, Flag, NewPassword, Optional, PASSWORD_RULES, Required } from './field-rules.ts';
import { FullProofInput, PasswordUnlessPasskey } from './two-factor.input.ts';

/** The fields of a change of the password. */
@InputType({ description: 'The current password, and a new one.' })
@Example({ currentPassword: '{{password}}', newPassword: 'battery staple {{unique}}' })
export class ChangePasswordInput extends FullProofInput {
  @Field(() => String, { nullable: true, description: 'The current password.' })
  @PasswordUnlessPasskey()
  currentPassword?: string;

  @Field(() => String, {
    description: `The new password: ${PASSWORD_RULES}`,
  })
  @Required()
  @NewPassword('newPasswordConfirmation')
  newPassword!: string;

  /** Laravel forms repeat the password. GraphQL clients compare the two before they send. */
  @Allow()
  newPasswordConfirmation?: string | undefined;

  @Field(() => Boolean, {
    nullable: true,
    defaultValue: true,
    description: "Whether all of the account's tokens except the presented one are revoked.",
  })
  @Optional()
  @Flag()
  revokeOtherTokens?: unknown;

  /** The input in the terms of the service. */
  toRequest(): PasswordChangeRequest {
    const { currentPassword, newPassword, revokeOtherTokens = true } = this;
    const { code, recoveryCode, credential } = this;
    const proof = { code, recoveryCode, credential };
    return { currentPassword, newPassword, revokeOtherTokens: isOn(revokeOtherTokens), ...proof };
  }
}

/** A form has no other values than texts. */
const isOn = (flag: unknown): boolean => flag === true || flag === 1 || flag === '1';
