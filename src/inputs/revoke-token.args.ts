import 'reflect-metadata';
import { Allow } from 'class-validator';
import { ArgsType, Field, ID } from 'type-graphql';

/** Which token is revoked. */
@ArgsType()
export class RevokeTokenArgs {
  @Field(() => ID, { description: 'The id of the token.' })
  @Allow()
  id?: string | undefined;
}
