import 'reflect-metadata';
import { ArgsType, Field, InputType } from 'type-graphql';
import { Example, Line, NewEmail, Required } from './field-rules.ts';
import { FullProofInput, PasswordUnlessPasskey } from './two-factor.input.ts';

/** The fields of a change of the e-mail. */
@InputType({ description: 'A new e-mail address, and the password of the account.' })
@Example({ email: 'new-{{unique}}@example.org', password: '{{password}}' })
export class ChangeEmailInput extends FullProofInput {
  @Field(() => String, {
    description: 'The new e-mail address. The account gets it when the link is used that is mailed there.',
  })
  @Required()
  @NewEmail()
  email!: string;

  @Field(() => String, { nullable: true, description: 'The password of the account.' })
  @PasswordUnlessPasskey()
  password?: string;
}

/** The field of a confirmation of an e-mail. */
@ArgsType()
export class VerifyEmailInput {
  @Field(() => String, { description: 'The token from the link of the mail.' })
  @Example('')
  @Required()
  @Line()
  token!: string;
}
