import 'reflect-metadata';
import { Arg, Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { OwnAccount } from '../../../auth/privacy/own-account.ts';
import { presentPersonalData } from '../../../auth/privacy/personal-data.ts';
import type { Sessions } from '../../../auth/tokens/sessions.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import { OPERATIONS } from '../../inputs/operations.ts';
import { DeleteMyAccountInput } from '../../inputs/own-account.input.ts';
import type { GraphqlContext } from '../context.ts';
import { inBatches } from '../long-responses.ts';
import { PersonalDataType } from '../types/personal-data.type.ts';

@ObjectType('DeleteMyAccountPayload', { description: 'The end of an account.' })
class DeleteMyAccountPayload {
  @Field(() => String, { description: 'Always `Your account has been closed.`' })
  message!: string;

  @Field(() => Date, {
    description: 'The account and its documents are erased within an hour after this time.',
  })
  erasedAfter!: Date;
}

interface ErasureParts {
  sessions: Sessions;
  ownAccount: OwnAccount;
  urls: DocumentUrls;
}

@Resolver()
export class ErasureResolver {
  constructor(private readonly parts: ErasureParts) {}

  @Query(() => PersonalDataType, {
    description:
      'Everything that the gateway holds about the account of the presented token, to read or to take along. An operation may have it once.',
  })
  async exportMyData(@Ctx() { caller }: GraphqlContext): Promise<object> {
    const session = await this.parts.sessions.authorize(OPERATIONS.exportMyData, caller);
    const data = await this.parts.ownAccount.exportMyData(session, caller);
    const { tokens, events, ...others } = presentPersonalData(data, this.parts.urls);
    return { ...others, tokens: inBatches(tokens), events: inBatches(events) };
  }

  @Mutation(() => DeleteMyAccountPayload, {
    description:
      'Closes the account of the presented token. It is logged out everywhere and cannot log in any more, and is erased later. Until then an operator can enable it again.',
  })
  async deleteMyAccount(
    @Arg('input', () => DeleteMyAccountInput, { description: 'The password.' }) input: DeleteMyAccountInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<DeleteMyAccountPayload> {
    const session = await this.parts.sessions.authorizeLast(OPERATIONS.deleteMyAccount, caller);
    const erasedAfter = await this.parts.ownAccount.deleteMyAccount(input, session, caller);
    return { message: 'Your account has been closed.', erasedAfter };
  }
}
