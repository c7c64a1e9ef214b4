import 'reflect-metadata';
import { Field, ObjectType } from 'type-graphql';

@ObjectType('MessagePayload', { description: 'The success of an act.' })
export class MessagePayload {
  @Field(() => String, { description: 'The success in words for people.' })
  message!: string;
}
