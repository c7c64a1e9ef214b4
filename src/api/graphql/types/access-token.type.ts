import 'reflect-metadata';
import { Field, ID, ObjectType } from 'type-graphql';
import { MAX_ORIGIN_CHARACTERS, shownOrigin } from '../../../auth/tokens/devices.ts';
import type { AccessToken } from '../../../auth/tokens/token-lifetimes.ts';
import { Characters, Items } from '../limits/answer-size.ts';

/** More than a token of this gateway or of the legacy service usually has. */
export const MANY_ABILITIES = 5;

@ObjectType('AccessToken', {
  description: 'An access token of an account. Its plain text is shown only when it is issued.',
})
export class AccessTokenType {
  @Field(() => ID, { description: 'The part of the plain text before the `|`.' })
  id!: string;

  @Field(() => String, { description: 'What it was issued for: `doctor-token` or `auth-token`.' })
  name!: string;

  @Items(MANY_ABILITIES)
  @Characters(40)
  @Field(() => [String], { nullable: true, description: 'What it may do; null means unrestricted.' })
  abilities!: string[] | null;

  @Field(() => Date, { description: 'When it was issued.' })
  createdAt!: Date;

  @Field(() => Date, { nullable: true, description: 'When it was last presented, if that is known.' })
  lastUsedAt!: Date | null;

  @Field(() => Date, {
    nullable: true,
    description: 'When it ends, even if it is used until then; null: never.',
  })
  expiresAt!: Date | null;

  @Characters(MAX_ORIGIN_CHARACTERS)
  @Field(() => String, {
    nullable: true,
    description: 'The program that it was issued to, such as "Firefox on Android", if that is known.',
  })
  device!: string | null;

  @Characters(MAX_ORIGIN_CHARACTERS)
  @Field(() => String, {
    nullable: true,
    description: 'The IP address that it was issued to, of IPv6 its /64 network, if that is known.',
  })
  ip!: string | null;

  @Field(() => Boolean, { description: 'Whether this request was made with it.' })
  current!: boolean;
}

/** A stored token as its owner may see it. */
export function presentToken(token: AccessToken, currentTokenId: string): AccessTokenType {
  const { _id, name, abilities, createdAt, lastUsedAt, expiresAt } = token;
  const { device, ip } = shownOrigin(token);
  const current = _id === currentTokenId;
  return { id: _id, name, abilities, createdAt, lastUsedAt, expiresAt, device, ip, current };
}
