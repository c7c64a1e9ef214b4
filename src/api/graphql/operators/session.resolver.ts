import 'reflect-metadata';
import { Arg, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { Login } from '../../../auth/login.ts';
import type { SetUp } from '../../../auth/operators/set-up.ts';
import type { OwnTokens } from '../../../auth/tokens/own-tokens.ts';
import type { Sessions } from '../../../auth/tokens/sessions.ts';
import type { TwoFactor } from '../../../auth/two-factor/two-factor.ts';
import { LoginInput } from '../../inputs/login.input.ts';
import { OPERATIONS } from '../../inputs/operations.ts';
import { CompleteLoginInput, StepUpInput } from '../../inputs/two-factor.input.ts';
import type { GraphqlContext } from '../context.ts';
import { Sensitive } from '../limits/operation-rules.ts';
import { TwoFactorSetupType } from '../types/two-factor.type.ts';
import { BeginSetUpInput, FinishSetUpInput } from './operators.inputs.ts';
import {
  OperatorSessionType,
  OperatorType,
  presentSession,
  presentSetUp,
  SetUpDoneType,
} from './operators.types.ts';

export interface OperatorSessionParts {
  sessions: Sessions;
  login: Login;
  ownTokens: OwnTokens;
  twoFactor: TwoFactor;
  setUp: SetUp;
}

/** Who operators and reviewers are: set-up, login and logout. */
@Resolver()
export class OperatorSessionResolver {
  constructor(private readonly parts: OperatorSessionParts) {}

  @Query(() => OperatorType, { description: 'Who is logged in: an operator, or a reviewer.' })
  async operator(@Ctx() { caller }: GraphqlContext): Promise<OperatorType> {
    return (await this.parts.sessions.authorize(OPERATIONS.me, caller)).account;
  }

  @Sensitive()
  @Mutation(() => TwoFactorSetupType, {
    description: 'Begins the set-up of an account by a link. The link stays valid until its end.',
  })
  beginSetUp(
    @Arg('input', () => BeginSetUpInput, { description: 'The link.' }) { token }: BeginSetUpInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<TwoFactorSetupType> {
    return this.parts.setUp.begin(token, caller);
  }

  @Sensitive()
  @Mutation(() => SetUpDoneType, {
    description: 'Sets the password and the second factor, enables the account and logs in. The link ends.',
  })
  async finishSetUp(
    @Arg('input', () => FinishSetUpInput, { description: 'The link, a password and a code.' })
    input: FinishSetUpInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<SetUpDoneType> {
    return presentSetUp(await this.parts.setUp.finish(input, caller));
  }

  @Sensitive()
  @Mutation(() => OperatorSessionType, {
    description:
      'Logs in. With a password alone, the answer is `TWO_FACTOR_REQUIRED` with a challenge for `completeLogin`.',
  })
  async login(
    @Arg('input', () => LoginInput, { description: 'E-mail address and password.' }) input: LoginInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<OperatorSessionType> {
    return presentSession(await this.parts.login.run(input, caller));
  }

  @Sensitive()
  @Mutation(() => OperatorSessionType, {
    description: 'Finishes a login that was answered with `TWO_FACTOR_REQUIRED`.',
  })
  async completeLogin(
    @Arg('input', () => CompleteLoginInput, { description: 'The challenge and a code.' })
    input: CompleteLoginInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<OperatorSessionType> {
    return presentSession(await this.parts.login.complete(input, caller));
  }

  @Sensitive()
  @Mutation(() => OperatorSessionType, {
    description: 'Proves once more who is logged in, for a change. The presented access token ends.',
  })
  async stepUp(
    @Arg('input', () => StepUpInput, { description: 'The password and a code.' }) input: StepUpInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<OperatorSessionType> {
    const session = await this.parts.sessions.authorizeLast(OPERATIONS.stepUp, caller);
    return presentSession(await this.parts.twoFactor.stepUp(input, session, caller));
  }

  @Mutation(() => Boolean, { description: 'Ends the presented access token. Always true.' })
  async logout(@Ctx() { caller }: GraphqlContext): Promise<boolean> {
    await this.parts.ownTokens.logout(
      await this.parts.sessions.authorizeLast(OPERATIONS.logout, caller),
      caller,
    );
    return true;
  }
}
