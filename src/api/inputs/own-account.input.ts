import 'reflect-metadata';
import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { Allow } from '../../patches/class-validator.ts';
import { Example } from './field-rules.ts';
import { FullProofInput, PasswordUnlessPasskey } from './two-factor.input.ts';

/** Which token is revoked. */
@ArgsType()
export class RevokeTokenArgs {
  @Field(() => ID, { description: 'The id of the token.' })
  @Example('{{tokenId}}')
  @Allow()
  id?: string | undefined;
}

/** The fields of the closing of an account. */
@InputType({ description: 'The consent to the end of an account.' })
@Example({ password: '{{password}}' })
export class DeleteMyAccountInput extends FullProofInput {
  @Field(() => String, { nullable: true, description: 'The password of the account.' })
  @PasswordUnlessPasskey()
  password?: string;
}
