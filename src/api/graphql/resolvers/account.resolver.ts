import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import type { AccountReader, ProfileReader } from '../../../auth/account-reader.ts';
import type { Corrections } from '../../../auth/corrections.ts';
import type { Sessions } from '../../../auth/tokens/sessions.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import type { Clock } from '../../../system/clock.ts';
import { OPERATIONS } from '../../inputs/operations.ts';
import { UpdateMyProfileInput } from '../../inputs/update-my-profile.input.ts';
import type { GraphqlContext } from '../context.ts';
import { AccountType } from '../types/account.type.ts';
import { DoctorProfileType, type DoctorView, presentDoctor } from '../types/doctor-profile.type.ts';

interface AccountParts {
  sessions: Sessions;
  clock: Clock;
  accountReader: AccountReader;
  corrections: Corrections;
  urls: DocumentUrls;
}

@Resolver(() => AccountType)
export class AccountResolver {
  /** One for each request. */
  readonly #readers = new WeakMap<GraphqlContext, ProfileReader>();

  constructor(private readonly parts: AccountParts) {}

  @Query(() => AccountType, { description: 'The account of the presented token.' })
  async me(@Ctx() { caller }: GraphqlContext): Promise<AccountType> {
    return (await this.parts.sessions.authorize(OPERATIONS.me, caller)).account;
  }

  @Mutation(() => AccountType, {
    description:
      'Corrects the account and profile. Another name, specialisation or license number of a verified doctor waits for a reviewer, in `profile.proposal`.',
  })
  async updateMyProfile(
    @Arg('input', () => UpdateMyProfileInput, { description: 'What to correct.' })
    input: UpdateMyProfileInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<AccountType> {
    const session = await this.parts.sessions.authorize(OPERATIONS.updateMyProfile, caller);
    const { account, profile } = await this.parts.corrections.updateMyProfile(
      input.toCorrection(),
      session,
      caller,
    );
    return { ...account, ...(profile && { storedProfile: profile }) };
  }

  /** The schema promises a time. An imported account may have none. */
  @FieldResolver(() => Date)
  createdAt(@Root() { createdAt }: AccountType): Date {
    return createdAt ?? new Date(0);
  }

  @FieldResolver(() => DoctorProfileType, {
    nullable: true,
    description: "A doctor's profile; null for a patient.",
  })
  async profile(@Root() account: AccountType, @Ctx() context: GraphqlContext): Promise<DoctorView | null> {
    const profile = account.storedProfile ?? (await this.#profileOf(context)(account));
    return profile ? presentDoctor(profile, this.parts.urls, this.parts.clock.now()) : null;
  }

  #profileOf(context: GraphqlContext): ProfileReader {
    const reader = this.#readers.get(context) ?? this.parts.accountReader.profiles(context.caller);
    this.#readers.set(context, reader);
    return reader;
  }
}
