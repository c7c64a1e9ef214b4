import 'reflect-metadata';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { Allow } from '../../patches/class-validator.ts';
import { Example, JudgedLater, Line, Optional, Required } from './field-rules.ts';
import { ReauthenticationInput, SETUP_CHALLENGE, SetUpInput } from './two-factor.input.ts';

/** The field of a login with a passkey. */
@InputType({ description: 'What a passkey has made of the options of a login.' })
@Example({ credential: {} })
export class LoginWithPasskeyInput {
  @Field(() => GraphQLJSONObject, {
    description: 'What `navigator.credentials.get` gave, by its `toJSON()`.',
  })
  @Required()
  @JudgedLater()
  credential?: unknown;
}

/** The field of a proof by a passkey. */
@InputType()
export class ConfirmPasskeyInput extends LoginWithPasskeyInput {}

/** The fields of the beginning of an addition. */
@InputType({ description: 'The password, and what proves the second factor of an account that has one.' })
@Example({ password: '{{password}}' })
export class PasskeyAddOptionsInput extends SetUpInput {}

/** The fields of an addition. */
@InputType({ description: 'A new passkey.' })
@Example({ credential: {} })
export class AddPasskeyInput {
  @Field(() => GraphQLJSONObject, {
    description: 'What `navigator.credentials.create` gave, by its `toJSON()`.',
  })
  @Required()
  @JudgedLater()
  credential?: unknown;

  @Field(() => String, {
    nullable: true,
    description: 'How its owner calls it. By default it has the name of the browser and the system.',
  })
  @Optional()
  @Line()
  name?: string;

  @Field(() => String, { nullable: true, description: SETUP_CHALLENGE })
  @Optional()
  @Line()
  challenge?: string;
}

/** The field of a new name. */
@InputType({ description: 'A new name.' })
@Example({ name: 'The key of the hospital' })
export class RenamePasskeyInput {
  @Field(() => String, { description: 'How its owner calls it.' })
  @Required()
  @Line()
  name!: string;
}

/** Which passkey. */
@ArgsType()
export class PasskeyIdArgs {
  @Field(() => ID, { description: 'The id of the passkey.' })
  @Example('')
  @Allow()
  id?: string | undefined;
}

/** The fields of a removal. */
@InputType({ description: 'The password, and what proves the second factor of an account that has one.' })
@Example({ password: '{{password}}' })
export class RemovePasskeyInput extends ReauthenticationInput {}
