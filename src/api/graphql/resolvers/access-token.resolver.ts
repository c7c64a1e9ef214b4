import { Args, Ctx, Int, Mutation, Query, Resolver } from 'type-graphql';
import { MAX_LISTED } from '../../../auth/tokens/access-tokens.ts';
import type { OwnTokens } from '../../../auth/tokens/own-tokens.ts';
import type { Sessions } from '../../../auth/tokens/sessions.ts';
import { OPERATIONS } from '../../inputs/operations.ts';
import { RevokeTokenArgs } from '../../inputs/own-account.input.ts';
import type { GraphqlContext } from '../context.ts';
import { Items } from '../limits/answer-size.ts';
import { inBatches } from '../long-responses.ts';
import { AccessTokenType, presentToken } from '../types/access-token.type.ts';

interface AccessTokenParts {
  sessions: Sessions;
  ownTokens: OwnTokens;
}

@Resolver()
export class AccessTokenResolver {
  /** One load for each request, however many aliases ask for the list. Nothing in such a request can change it. */
  readonly #loads = new WeakMap<GraphqlContext, ReturnType<OwnTokens['list']>>();

  constructor(private readonly parts: AccessTokenParts) {}

  @Items(MAX_LISTED)
  @Query(() => [AccessTokenType], { description: "The account's valid tokens, the newest first." })
  async myTokens(@Ctx() context: GraphqlContext): Promise<Promise<AccessTokenType>[]> {
    const load = this.#loads.get(context) ?? this.#load(context);
    this.#loads.set(context, load);
    const { tokens, currentId } = await load;
    return inBatches(tokens.map((token) => presentToken(token, currentId)));
  }

  async #load({ caller }: GraphqlContext): ReturnType<OwnTokens['list']> {
    return this.parts.ownTokens.list(
      await this.parts.sessions.authorize(OPERATIONS.myTokens, caller),
      caller,
    );
  }

  @Mutation(() => Boolean, {
    description: "Revokes one of the account's tokens; false if it has no token with that id.",
  })
  async revokeToken(
    // An empty text is an absent one, and no token has it as its id.
    @Args(() => RevokeTokenArgs) { id = '' }: RevokeTokenArgs,
    @Ctx() { caller }: GraphqlContext,
  ): Promise<boolean> {
    const session = await this.parts.sessions.authorize(OPERATIONS.revokeToken, caller);
    return this.parts.ownTokens.revoke(id, session, caller);
  }

  @Mutation(() => Int, {
    description: "Revokes all of the account's tokens except the presented one; returns their number.",
  })
  async revokeOtherTokens(@Ctx() { caller }: GraphqlContext): Promise<number> {
    const session = await this.parts.sessions.authorize(OPERATIONS.revokeOtherTokens, caller);
    return this.parts.ownTokens.revokeOthers(session, caller);
  }
}
