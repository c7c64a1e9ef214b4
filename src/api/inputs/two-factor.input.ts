import 'reflect-metadata';
import { ArgsType, Field, InputType } from 'type-graphql';
import { Example, JudgedLater, Line, Optional, Required, Secret } from './field-rules.ts';

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

/** The fields of the end of a login. */
@InputType({ description: 'A challenge, and what proves the second factor.' })
@Example({ challenge: '', code: '' })
export class CompleteLoginInput extends ProofInput {
  @Field(() => String, { description: 'The challenge of the login.' })
  @Required()
  @Line()
  challenge!: string;
}

const SETUP_CHALLENGE =
  'The challenge of a login that has to set up a second factor first, in place of an access token.';

/** The fields of the beginning of an enrolment. */
@InputType({
  description: 'The password of the account; to replace an app, also what proves the second factor.',
})
@Example({ password: '{{password}}' })
export class EnableTwoFactorInput extends ProofInput {
  @Field(() => String, { description: 'The password of the account.' })
  @Required()
  @Secret()
  password!: string;

  @Field(() => String, { nullable: true, description: SETUP_CHALLENGE })
  @Optional()
  @Line()
  challenge?: string;
}

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

/** The fields of an act that asks for the password and the second factor. */
@InputType()
class ReauthenticationInput extends ProofInput {
  @Field(() => String, { description: 'The password of the account.' })
  @Required()
  @Secret()
  password!: string;
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
