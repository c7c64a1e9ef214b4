import 'reflect-metadata';
import { Field, Int, ObjectType } from 'type-graphql';

@ObjectType('MessagePayload', { description: 'The success of an act.' })
export class MessagePayload {
  @Field(() => String, { description: 'The success in words for people.' })
  message!: string;
}

@ObjectType('ChangePasswordPayload', { description: 'The success of a change of the password.' })
export class ChangePasswordPayload {
  @Field(() => String, { description: 'The success in words for people.' })
  message!: string;

  @Field(() => Int, { description: 'How many tokens were revoked.' })
  revokedTokens!: number;
}
