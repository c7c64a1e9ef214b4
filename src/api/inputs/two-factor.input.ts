import 'reflect-metadata';
import { GraphQLJSONObject } from 'graphql-scalars';
import { ArgsType, Field, InputType } from 'type-graphql';
import { ValidateIf } from '../../patches/class-validator.ts';
import { all, Example, JudgedLater, Line, Optional, Required, Secret } from './field-rules.ts';

/**
 * What proves the second factor of an account that has one. No rule refuses a value: it is looked at only behind the right password of
 * such an account, and all others notice nothing.
 */
@InputType()
export class ProofInput {
  @Field(() => String, {
    nullable: true,
    description: 'The code of the authenticator app, for an account with a second factor.',
  })
  @JudgedLater()
  code?: unknown;

  @Field(() => String, { nullable: true, description: 'Or a recovery code, in place of the code.' })
  @JudgedLater()
  recoveryCode?: unknown;
}

/** What proves somebody who is logged in: a password with its proof, or a passkey alone. */
@InputType()
export class FullProofInput extends ProofInput {
  @Field(() => GraphQLJSONObject, {
    nullable: true,
    description:
      'In place of the password and what goes with it: what a passkey has made of the options of `passkeyConfirmOptions`.',
  })
  @JudgedLater()
  credential?: unknown;
}

/** The password of somebody who is logged in. It may be absent beside a passkey. */
export const PasswordUnlessPasskey = (): PropertyDecorator =>
  all(
    ValidateIf(({ credential }: FullProofInput) => credential === undefined || credential === null),
    Required(),
    Secret(),
  );

/** The fields of the end of a login. */
@InputType({ description: 'A challenge, and what proves the second factor.' })
@Example({ challenge: '', code: '' })
export class CompleteLoginInput extends ProofInput {
  @Field(() => String, { description: 'The challenge of the login.' })
  @Required()
  @Line()
  challenge!: string;
}

export const SETUP_CHALLENGE =
  'The challenge of a login that has to set up a second factor first, in place of an access token.';

/** The fields of an act that asks for the password and the second factor. */
@InputType()
export class ReauthenticationInput extends FullProofInput {
  @Field(() => String, { nullable: true, description: 'The password of the account.' })
  @PasswordUnlessPasskey()
  password?: string;
}

/** The same for an act that a setup challenge allows, too. */
@InputType()
export class SetUpInput extends ReauthenticationInput {
  @Field(() => String, { nullable: true, description: SETUP_CHALLENGE })
  @Optional()
  @Line()
  challenge?: string;
}

/** The fields of the beginning of an enrolment. */
@InputType({
  description: 'The password of the account; to replace an app, also what proves the second factor.',
})
@Example({ password: '{{password}}' })
export class EnableTwoFactorInput extends SetUpInput {}

/** The fields of the confirmation of an app. */
@InputType({ description: 'The first code of the new app.' })
@Example({ code: '' })
export class ConfirmTwoFactorInput {
  @Field(() => String, { description: 'A code that the new app shows.' })
  @Required()
  @JudgedLater()
  code?: unknown;

  @Field(() => String, { nullable: true, description: SETUP_CHALLENGE })
  @Optional()
  @Line()
  challenge?: string;
}

/** The fields of a removal. */
@InputType({ description: 'The password, and what proves the second factor.' })
@Example({ password: '{{password}}', code: '' })
export class DisableTwoFactorInput extends ReauthenticationInput {}

/** The fields of a renewal. */
@InputType({ description: 'The password, and what proves the second factor.' })
@Example({ password: '{{password}}', code: '' })
export class RenewRecoveryCodesInput extends ReauthenticationInput {}

/** The fields of a step-up. */
@InputType({ description: 'The password; of an account with a second factor, also what proves it.' })
@Example({ password: '{{password}}', code: '' })
export class StepUpInput extends ReauthenticationInput {}

/** The field of a request for a link that proves an e-mail. */
@ArgsType()
export class RequestEmailVerificationInput {
  @Field(() => String, { nullable: true, description: SETUP_CHALLENGE })
  @Optional()
  @Line()
  challenge?: string;
}
