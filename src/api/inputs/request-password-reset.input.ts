import 'reflect-metadata';
import { ArgsType, Field } from 'type-graphql';
import { Email, Required } from './field-rules.ts';

/** The fields of a request for a reset link. */
@ArgsType()
export class RequestPasswordResetInput {
  @Field(() => String, { description: 'The e-mail address of the account.' })
  @Required()
  @Email()
  email!: string;
}
