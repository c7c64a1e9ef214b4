import 'reflect-metadata';
import { Field, InputType } from 'type-graphql';
import { Example, Required, Secret } from './field-rules.ts';
import { ProofInput } from './two-factor.input.ts';

/** The fields of the closing of an account. */
@InputType({ description: 'The consent to the end of an account.' })
@Example({ password: '{{password}}' })
export class DeleteMyAccountInput extends ProofInput {
  @Field(() => String, { description: 'The password of the account.' })
  @Required()
  @Secret()
  password!: string;
}
