import 'reflect-metadata';
import { Field, InputType } from 'type-graphql';
import { Example } from './field-rules.ts';
import { FullProofInput, PasswordUnlessPasskey } from './two-factor.input.ts';

/** The fields of the closing of an account. */
@InputType({ description: 'The consent to the end of an account.' })
@Example({ password: '{{password}}' })
export class DeleteMyAccountInput extends FullProofInput {
  @Field(() => String, { nullable: true, description: 'The password of the account.' })
  @PasswordUnlessPasskey()
  password?: string;
}
