import 'reflect-metadata';
import { Arg, Ctx, Field, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import type { OwnAccount } from '../../../auth/privacy/own-account.ts';
import { presentPersonalData } from '../../../auth/privacy/personal-data.ts';
import type { DocumentUrls } from '../../../documents/document-urls.ts';
import { DeleteMyAccountInput } from '../../inputs/delete-my-account.input.ts';
import type { GraphqlContext } from '../context.ts';
import { Sensitive } from '../limits/operation-rules.ts';
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

@Resolver()
export class ErasureResolver {
  constructor(
    private readonly leaving: OwnAccount,
    private readonly urls: DocumentUrls,
  ) {}

  @Sensitive()
  @Query(() => PersonalDataType, {
    description:
      'Everything that the gateway holds about the account of the presented token, to read or to take along. An operation may have it once.',
  })
  async exportMyData(@Ctx() { caller }: GraphqlContext): Promise<object> {
    const data = await this.leaving.exportMyData(caller);
    const { tokens, events, ...others } = presentPersonalData(data, this.urls);
    return { ...others, tokens: inBatches(tokens), events: inBatches(events) };
  }

  @Sensitive()
  @Mutation(() => DeleteMyAccountPayload, {
    description:
      'Closes the account of the presented token. It is logged out everywhere and cannot log in any more, and is erased later. Until then an operator can enable it again.',
  })
  async deleteMyAccount(
    @Arg('input', () => DeleteMyAccountInput, { description: 'The password.' }) input: DeleteMyAccountInput,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<DeleteMyAccountPayload> {
    const erasedAfter = await this.leaving.deleteMyAccount(input, caller);
    return { message: 'Your account has been closed.', erasedAfter };
  }
}
