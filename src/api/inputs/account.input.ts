import 'reflect-metadata';
import { Field, InputType } from 'type-graphql';
import { Allow } from '../../patches/class-validator.ts';
import { Line, NewEmail, NewPassword, PASSWORD_RULES, Required } from './field-rules.ts';

/** The fields of every registration. */
@InputType()
export abstract class AccountInput {
  @Field(() => String, { description: 'The name of the person, up to 255 characters.' })
  @Required()
  @Line()
  name!: string;

  @Field(() => String, {
    description:
      'The e-mail address to log in with; no other account may have it. Case does not matter, and domains are compared in their ASCII form.',
  })
  @Required()
  @NewEmail()
  email!: string;

  /** Keeps the place of the field: the order of the fields decides which text comes first. Its rules depend on the role. */
  @Allow()
  abstract phone?: string | undefined;

  @Field(() => String, {
    description: `The password: ${PASSWORD_RULES}`,
  })
  @Required()
  @NewPassword('passwordConfirmation')
  password!: string;

  /** Laravel forms repeat the password. GraphQL clients compare the two before they send. */
  @Allow()
  passwordConfirmation?: string | undefined;
}
