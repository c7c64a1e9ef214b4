import 'reflect-metadata';
import { Arg, Args, Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { Login } from '../../../auth/login.ts';
import type { Registration } from '../../../auth/registration.ts';
import type { OwnTokens } from '../../../auth/tokens/own-tokens.ts';
import type { Sessions } from '../../../auth/tokens/sessions.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import type { Clock } from '../../../system/clock.ts';
import { LoginInput } from '../../inputs/login.input.ts';
import { OPERATIONS } from '../../inputs/operations.ts';
import {
  InvitationArgs,
  RegisterDoctorInput,
  RegisterPatientInput,
} from '../../inputs/registration.input.ts';
import type { GraphqlContext } from '../context.ts';
import { AccountType } from '../types/account.type.ts';
import { AuthPayload, TOKEN } from '../types/auth-payload.type.ts';
import { DoctorProfileType, type DoctorView, presentDoctor } from '../types/doctor-profile.type.ts';
import { InvitationType } from '../types/invitation.type.ts';

@ObjectType('DoctorRegistration', { description: 'A new doctor.' })
class DoctorRegistrationPayload {
  @Field(() => AccountType, { description: 'The account.' })
  account!: AccountType;

  @Field(() => DoctorProfileType, { description: 'The profile.' })
  profile!: DoctorView;

  @Field(() => String, { description: TOKEN })
  token!: string;
}

@ObjectType('LogoutPayload', { description: 'The end of a session.' })
class LogoutPayload {
  @Field(() => String, { description: 'Always `Logged out`.' })
  message!: string;
}

interface AuthParts {
  sessions: Sessions;
  clock: Clock;
  registration: Registration;
  login: Login;
  ownTokens: OwnTokens;
  urls: DocumentUrls;
}

@Resolver()
export class AuthResolver {
  constructor(private readonly parts: AuthParts) {}

  @Query(() => InvitationType, {
    description:
      'Whom an invitation is for, by the token of its mail. Needs no access token. `NOT_FOUND` if nobody is invited here.',
  })
  invitation(
    @Args(() => InvitationArgs) { token }: InvitationArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<InvitationType> {
    return this.parts.registration.invited(token, caller);
  }

  @Mutation(() => DoctorRegistrationPayload, {
    description: 'Registers a doctor, the profile and three documents.',
  })
  async registerDoctor(
    @Arg('input', () => RegisterDoctorInput, { description: 'The account, the practice and the documents.' })
    input: RegisterDoctorInput,
    @Ctx() { caller, admission }: GraphqlContext,
  ): Promise<DoctorRegistrationPayload> {
    const admitted =
      admission ?? (await this.parts.registration.admit(caller, input.invitation ?? undefined));
    const { profile, account, token } = await this.parts.registration.doctor(
      input.toRegistration(),
      caller,
      admitted,
    );
    // Nothing is read for the answer: the registration is done.
    const withProfile = { ...account, storedProfile: profile };
    return {
      account: withProfile,
      token,
      profile: presentDoctor(profile, this.parts.urls, this.parts.clock.now()),
    };
  }

  @Mutation(() => AuthPayload, { description: 'Registers a patient.' })
  registerPatient(
    @Arg('input', () => RegisterPatientInput, { description: 'The account.' }) input: RegisterPatientInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuthPayload> {
    return this.parts.registration.patient(input.toRegistration(), caller);
  }

  @Mutation(() => AuthPayload, {
    description: 'Logs in. Tokens issued earlier stay valid, unless their number is limited.',
  })
  login(
    @Arg('input', () => LoginInput, { description: 'E-mail address and password.' }) input: LoginInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuthPayload> {
    return this.parts.login.run(input, caller);
  }

  @Mutation(() => LogoutPayload, { description: 'Revokes exactly the presented token.' })
  async logout(@Ctx() { caller }: GraphqlContext): Promise<LogoutPayload> {
    await this.parts.ownTokens.logout(
      await this.parts.sessions.authorizeLast(OPERATIONS.logout, caller),
      caller,
    );
    return { message: 'Logged out' };
  }
}
