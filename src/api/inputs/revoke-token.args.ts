import 'reflect-metadata';
import { ArgsType, Field, ID } from 'type-graphql';
import { Allow } from '../../patches/class-validator.ts';

/** Which token is revoked. */
@ArgsType()
export class RevokeTokenArgs {
  @Field(() => ID, { description: 'The id of the token.' })
  @Allow()
  id?: string | undefined;
}
