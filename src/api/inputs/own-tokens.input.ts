import 'reflect-metadata';
import { ArgsType, Field, ID } from 'type-graphql';
import { Allow } from '../../patches/class-validator.ts';
import { Example } from './field-rules.ts';

/** Which token is revoked. */
@ArgsType()
export class RevokeTokenArgs {
  @Field(() => ID, { description: 'The id of the token.' })
  @Example('{{tokenId}}')
  @Allow()
  id?: string | undefined;
}
