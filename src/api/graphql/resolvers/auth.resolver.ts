import 'reflect-metadata';
import { Arg, Ctx, Field, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { AuthService } from '../../../auth/auth-service.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import { LoginInput } from '../../inputs/login.input.ts';
import { RegisterDoctorInput, RegisterPatientInput } from '../../inputs/registration.input.ts';
import type { GraphqlContext } from '../context.ts';
import { Sensitive } from '../limits/operation-rules.ts';
import { AccountType } from '../types/account.type.ts';
import { AuthPayload, TOKEN } from '../types/auth-payload.type.ts';
import { DoctorProfileType, type DoctorView, presentDoctor } from '../types/doctor-profile.type.ts';

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

@Resolver()
export class AuthResolver {
  constructor(
    private readonly auth: AuthService,
    private readonly urls: DocumentUrls,
  ) {}

  @Sensitive()
  @Mutation(() => DoctorRegistrationPayload, {
    description: 'Registers a doctor, the profile and three documents.',
  })
  async registerDoctor(
    @Arg('input', () => RegisterDoctorInput, { description: 'The account, the practice and the documents.' })
    input: RegisterDoctorInput,
    @Ctx() { caller, admission }: GraphqlContext,
  ): Promise<DoctorRegistrationPayload> {
    const admitted = admission ?? (await this.auth.admitRegistration(caller));
    const { profile, account, token } = await this.auth.registerDoctor(
      input.toRegistration(),
      caller,
      admitted,
    );
    // Nothing is read for the answer: the registration is done.
    const withProfile = { ...account, storedProfile: profile };
    return { account: withProfile, token, profile: presentDoctor(profile, this.urls) };
  }

  @Sensitive()
  @Mutation(() => AuthPayload, { description: 'Registers a patient.' })
  registerPatient(
    @Arg('input', () => RegisterPatientInput, { description: 'The account.' }) input: RegisterPatientInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuthPayload> {
    return this.auth.registerPatient(input.toRegistration(), caller);
  }

  @Sensitive()
  @Mutation(() => AuthPayload, {
    description: 'Logs in. Tokens issued earlier stay valid, unless their number is limited.',
  })
  login(
    @Arg('input', () => LoginInput, { description: 'E-mail address and password.' }) input: LoginInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AuthPayload> {
    return this.auth.login(input, caller);
  }

  @Mutation(() => LogoutPayload, { description: 'Revokes exactly the presented token.' })
  async logout(@Ctx() { caller }: GraphqlContext): Promise<LogoutPayload> {
    await this.auth.logout(caller);
    return { message: 'Logged out' };
  }
}
