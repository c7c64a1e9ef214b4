import 'reflect-metadata';
import { Field, Int, ObjectType } from 'type-graphql';
import type { AppEnrolment } from '../../../auth/two-factor/authenticator-app.ts';
import type { ConfirmedEnrolment, TwoFactorState } from '../../../auth/two-factor/two-factor.ts';
import { Items } from '../limits/answer-size.ts';
import { TOKEN } from './auth-payload.type.ts';

@ObjectType('TwoFactorState', { description: 'The second factor of an account.' })
export class TwoFactorStateType implements TwoFactorState {
  @Field(() => Boolean, { description: 'Whether a login asks for a code.' })
  enabled!: boolean;

  @Field(() => Date, { nullable: true, description: 'When the authenticator app was confirmed.' })
  confirmedAt!: Date | null;

  @Field(() => Int, { description: 'How many recovery codes were not used.' })
  recoveryCodesLeft!: number;

  @Field(() => Boolean, { description: 'Whether the operators ask for a second factor.' })
  required!: boolean;
}

@ObjectType('TwoFactorSetup', { description: 'A new authenticator app, shown only here.' })
export class TwoFactorSetupType implements AppEnrolment {
  @Field(() => String, { description: 'The secret in Base32, to type into the app.' })
  secretKey!: string;

  @Field(() => String, { description: 'An `otpauth:` link, which opens an app on the same device.' })
  url!: string;

  @Field(() => String, { description: 'The link as a QR code: an SVG image.' })
  svg!: string;
}

@ObjectType('TwoFactorConfirmation', { description: 'A confirmed authenticator app.' })
export class TwoFactorConfirmationType implements ConfirmedEnrolment {
  @Items(10)
  @Field(() => [String], {
    description: 'Recovery codes, shown only here. Each works once, in place of a code of the app.',
  })
  recoveryCodes!: string[];

  @Field(() => String, { description: `${TOKEN} The presented one has ended.` })
  token!: string;
}

@ObjectType('RecoveryCodes', { description: 'New recovery codes.' })
export class RecoveryCodesType {
  @Items(10)
  @Field(() => [String], { description: 'Shown only here. Each works once.' })
  recoveryCodes!: string[];
}
