import 'reflect-metadata';
import { Field, ObjectType } from 'type-graphql';
import { AccountType } from './account.type.ts';

export const TOKEN =
  'The new access token in plain text, shown only here. Send it as `Authorization: Bearer <token>`.';

@ObjectType('AuthPayload', { description: 'An account and a new access token for it.' })
export class AuthPayload {
  @Field(() => AccountType, { description: 'The account.' })
  account!: AccountType;

  @Field(() => String, { description: TOKEN })
  token!: string;
}
