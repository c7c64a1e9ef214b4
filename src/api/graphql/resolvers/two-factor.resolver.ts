import 'reflect-metadata';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { AuthService } from '../../../auth/auth-service.ts';
import type { TwoFactor } from '../../../auth/two-factor/two-factor.ts';
import {
  CompleteLoginInput,
  ConfirmTwoFactorInput,
  DisableTwoFactorInput,
  EnableTwoFactorInput,
  RenewRecoveryCodesInput,
  StepUpInput,
} from '../../inputs/two-factor.input.ts';
import type { GraphqlContext } from '../context.ts';
import { Sensitive } from '../limits/operation-rules.ts';
import { AuthPayload } from '../types/auth-payload.type.ts';
import { MessagePayload } from '../types/message-payload.type.ts';
import {
  RecoveryCodesType,
  TwoFactorConfirmationType,
  TwoFactorSetupType,
  TwoFactorStateType,
} from '../types/two-factor.type.ts';

const NOT_FOUND = '`NOT_FOUND` if the gateway has no second factor.';

@Resolver()
export class TwoFactorResolver {
  constructor(
    private readonly auth: AuthService,
    private readonly twoFactor: TwoFactor,
  ) {}

  @Sensitive()
  @Mutation(() => AuthPayload, {
    description: 'Finishes a login that was answered with `TWO_FACTOR_REQUIRED`.',
  })
  completeLogin(
    @Arg('input', () => CompleteLoginInput, { description: 'The challenge and a code.' })
    input: CompleteLoginInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuthPayload> {
    return this.auth.completeLogin(input, caller);
  }

  @Query(() => TwoFactorStateType, { description: `The second factor of the account. ${NOT_FOUND}` })
  myTwoFactor(@Ctx() { caller }: GraphqlContext): Promise<TwoFactorStateType> {
    return this.twoFactor.state(caller);
  }

  @Sensitive()
  @Mutation(() => TwoFactorSetupType, {
    description: `Begins to add an authenticator app, or to replace it: the present one works until the new one is confirmed. ${NOT_FOUND}`,
  })
  enableTwoFactor(
    @Arg('input', () => EnableTwoFactorInput, { description: 'The password.' }) input: EnableTwoFactorInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<TwoFactorSetupType> {
    return this.twoFactor.enable(input, caller);
  }

  @Sensitive()
  @Mutation(() => TwoFactorConfirmationType, {
    description: `Confirms the new app. From then on a login asks for a code, and every other access token has ended. ${NOT_FOUND}`,
  })
  confirmTwoFactor(
    @Arg('input', () => ConfirmTwoFactorInput, { description: 'The first code.' })
    input: ConfirmTwoFactorInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<TwoFactorConfirmationType> {
    return this.twoFactor.confirm(input, caller);
  }

  @Sensitive()
  @Mutation(() => MessagePayload, {
    description: `Removes the app and the recovery codes. \`FORBIDDEN\` where the operators ask for a second factor. ${NOT_FOUND}`,
  })
  async disableTwoFactor(
    @Arg('input', () => DisableTwoFactorInput, { description: 'The password and a code.' })
    input: DisableTwoFactorInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<MessagePayload> {
    await this.twoFactor.disable(input, caller);
    return { message: 'Two factor authentication has been disabled.' };
  }

  @Sensitive()
  @Mutation(() => RecoveryCodesType, {
    description: `Makes new recovery codes; the former ones end. ${NOT_FOUND}`,
  })
  async renewRecoveryCodes(
    @Arg('input', () => RenewRecoveryCodesInput, { description: 'The password and a code.' })
    input: RenewRecoveryCodesInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<RecoveryCodesType> {
    return { recoveryCodes: await this.twoFactor.renewRecoveryCodes(input, caller) };
  }

  @Sensitive()
  @Mutation(() => AuthPayload, {
    description: `Proves the owner of the session once more. The new access token keeps the name and the abilities of the presented one, which ends. ${NOT_FOUND}`,
  })
  stepUp(
    @Arg('input', () => StepUpInput, { description: 'The password and a code.' }) input: StepUpInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuthPayload> {
    return this.twoFactor.stepUp(input, caller);
  }
}
