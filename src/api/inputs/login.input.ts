import 'reflect-metadata';
import { Field, InputType } from 'type-graphql';
import { Email, Example, Required, Secret } from './field-rules.ts';
import { ProofInput } from './two-factor.input.ts';

/** The fields of a login. */
@InputType({ description: 'The credentials of an account.' })
@Example({ email: '{{email}}', password: '{{password}}' })
export class LoginInput extends ProofInput {
  @Field(() => String, { description: 'The e-mail address of the account, in upper or lower case.' })
  @Required()
  @Email()
  email!: string;

  @Field(() => String, { description: 'The password.' })
  @Required()
  @Secret()
  password!: string;
}
