import 'reflect-metadata';
import { GraphQLJSONObject } from 'graphql-scalars';
import { Field, ID, ObjectType } from 'type-graphql';
import type { PasskeyData } from '../../../auth/account-data.ts';
import type { CeremonyOptions } from '../../../auth/passkeys/ceremonies.ts';
import { type ListedPasskeys, MAX_PASSKEYS } from '../../../auth/passkeys/own-passkeys.ts';
import { LINE_MAX_CHARACTERS } from '../../../auth/text-rules.ts';
import { Characters, Items } from '../limits/answer-size.ts';

@ObjectType('Passkey', { description: 'A passkey of the account, without its public key.' })
export class PasskeyType implements PasskeyData {
  @Field(() => ID, { description: 'Opaque; assigned by the service.' })
  id!: string;

  @Characters(1_364)
  @Field(() => String, { description: 'What the authenticator calls it, in base64url.' })
  credentialId!: string;

  @Characters(LINE_MAX_CHARACTERS)
  @Field(() => String, { description: 'What its owner calls it.' })
  name!: string;

  @Field(() => Date, { nullable: true, description: 'When it was added.' })
  createdAt!: Date | null;

  @Field(() => Date, { nullable: true, description: 'When it was last used; null before.' })
  lastUsedAt!: Date | null;

  @Field(() => Boolean, { description: 'Whether it is copied to other devices of its owner.' })
  backedUp!: boolean;
}

@ObjectType('MyPasskeys', { description: 'The passkeys of the account.' })
export class MyPasskeysType implements ListedPasskeys {
  @Field(() => String, {
    nullable: true,
    description: 'What authenticators call the account, in base64url. null if no passkey was ever added.',
  })
  userHandle!: string | null;

  @Items(MAX_PASSKEYS)
  @Field(() => [PasskeyType], { description: 'The oldest first.' })
  passkeys!: PasskeyType[];
}

@ObjectType('PasskeyOptions', { description: 'The options of a ceremony of WebAuthn.' })
export class PasskeyOptionsType {
  @Characters(40_000)
  @Field(() => GraphQLJSONObject, {
    description:
      'For `PublicKeyCredential.parseCreationOptionsFromJSON` or `parseRequestOptionsFromJSON`. Valid once, for some minutes.',
  })
  options!: CeremonyOptions;
}
