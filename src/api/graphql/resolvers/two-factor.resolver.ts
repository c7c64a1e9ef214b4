import 'reflect-metadata';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { Login } from '../../../auth/login.ts';
import type { Sessions } from '../../../auth/tokens/sessions.ts';
import type { EnrolmentAccess } from '../../../auth/two-factor/enrolment-access.ts';
import type { TwoFactor } from '../../../auth/two-factor/two-factor.ts';
import { OPERATIONS } from '../../inputs/operations.ts';
import {
  CompleteLoginInput,
  ConfirmTwoFactorInput,
  DisableTwoFactorInput,
  EnableTwoFactorInput,
  RenewRecoveryCodesInput,
  StepUpInput,
} from '../../inputs/two-factor.input.ts';
import type { GraphqlContext } from '../context.ts';
import { AuthPayload } from '../types/auth-payload.type.ts';
import { MessagePayload } from '../types/message-payload.type.ts';
import {
  RecoveryCodesType,
  TwoFactorConfirmationType,
  TwoFactorSetupType,
  TwoFactorStateType,
} from '../types/two-factor.type.ts';

const NOT_FOUND = '`NOT_FOUND` if the gateway has no second factor.';

interface TwoFactorParts {
  sessions: Sessions;
  enrolmentAccess: EnrolmentAccess;
  login: Login;
  twoFactor: TwoFactor;
}

@Resolver()
export class TwoFactorResolver {
  constructor(private readonly parts: TwoFactorParts) {}

  @Mutation(() => AuthPayload, {
    description: 'Finishes a login that was answered with `TWO_FACTOR_REQUIRED`.',
  })
  completeLogin(
    @Arg('input', () => CompleteLoginInput, { description: 'The challenge and a code.' })
    input: CompleteLoginInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuthPayload> {
    return this.parts.login.complete(input, caller);
  }

  @Query(() => TwoFactorStateType, { description: `The second factor of the account. ${NOT_FOUND}` })
  async myTwoFactor(@Ctx() { caller }: GraphqlContext): Promise<TwoFactorStateType> {
    return this.parts.twoFactor.state(
      await this.parts.sessions.authorize(OPERATIONS.myTwoFactor, caller),
      caller,
    );
  }

  @Mutation(() => TwoFactorSetupType, {
    description: `Begins to add an authenticator app, or to replace it: the present one works until the new one is confirmed. ${NOT_FOUND}`,
  })
  async enableTwoFactor(
    @Arg('input', () => EnableTwoFactorInput, { description: 'The password.' })
    { challenge, ...input }: EnableTwoFactorInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<TwoFactorSetupType> {
    const admitted = await this.parts.enrolmentAccess.authorize(
      OPERATIONS.enableTwoFactor,
      challenge,
      caller,
    );
    return this.parts.twoFactor.enable(input, admitted, caller);
  }

  @Mutation(() => TwoFactorConfirmationType, {
    description: `Confirms the new app. From then on a login asks for a code, and every other access token has ended. ${NOT_FOUND}`,
  })
  async confirmTwoFactor(
    @Arg('input', () => ConfirmTwoFactorInput, { description: 'The first code.' })
    { challenge, code }: ConfirmTwoFactorInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<TwoFactorConfirmationType> {
    const admitted = await this.parts.enrolmentAccess.authorize(
      OPERATIONS.confirmTwoFactor,
      challenge,
      caller,
    );
    return this.parts.twoFactor.confirm(code, admitted, caller);
  }

  @Mutation(() => MessagePayload, {
    description: `Removes the app and the recovery codes. \`FORBIDDEN\` where the operators ask for a second factor. ${NOT_FOUND}`,
  })
  async disableTwoFactor(
    @Arg('input', () => DisableTwoFactorInput, { description: 'The password and a code.' })
    input: DisableTwoFactorInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    const session = await this.parts.sessions.authorize(OPERATIONS.disableTwoFactor, caller);
    await this.parts.twoFactor.disable(input, session, caller);
    return { message: 'Two factor authentication has been disabled.' };
  }

  @Mutation(() => RecoveryCodesType, {
    description: `Makes new recovery codes; the former ones end. ${NOT_FOUND}`,
  })
  async renewRecoveryCodes(
    @Arg('input', () => RenewRecoveryCodesInput, { description: 'The password and a code.' })
    input: RenewRecoveryCodesInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<RecoveryCodesType> {
    const session = await this.parts.sessions.authorize(OPERATIONS.renewRecoveryCodes, caller);
    return { recoveryCodes: await this.parts.twoFactor.renewRecoveryCodes(input, session, caller) };
  }

  @Mutation(() => AuthPayload, {
    description: `Proves the owner of the session once more. The new access token keeps the name and the abilities of the presented one, which ends. ${NOT_FOUND}`,
  })
  async stepUp(
    @Arg('input', () => StepUpInput, { description: 'The password and a code.' }) input: StepUpInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuthPayload> {
    const session = await this.parts.sessions.authorizeLast(OPERATIONS.stepUp, caller);
    return this.parts.twoFactor.stepUp(input, session, caller);
  }
}
