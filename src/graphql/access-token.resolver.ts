import { Arg, Ctx, ID, Int, Mutation, Query, Resolver } from 'type-graphql';
import type { AuthService } from '../auth/auth-service.ts';
import type { GraphqlContext } from './context.ts';
import { AccessTokenType, presentToken } from './types/access-token.type.ts';

@Resolver()
export class AccessTokenResolver {
  constructor(private readonly auth: AuthService) {}

  @Query(() => [AccessTokenType], { description: "The account's tokens, the newest first." })
  async myTokens(@Ctx() { bearer }: GraphqlContext): Promise<AccessTokenType[]> {
    const session = await this.auth.authenticate(bearer);
    const tokens = await this.auth.listTokens(session);
    return tokens.map((token) => presentToken(token, session.token._id));
  }

  @Mutation(() => Boolean, {
    description: "Revokes one of the account's tokens; false when it has none of that id.",
  })
  async revokeToken(
    @Arg('id', () => ID, { description: 'The id of the token.' }) id: string,
    @Ctx() { bearer }: GraphqlContext,
  ): Promise<boolean> {
    return this.auth.revokeToken(await this.auth.authenticate(bearer), id);
  }

  @Mutation(() => Int, {
    description: "Revokes all of the account's tokens but the presented one; says how many.",
  })
  async revokeOtherTokens(@Ctx() { bearer }: GraphqlContext): Promise<number> {
    return this.auth.revokeOtherTokens(await this.auth.authenticate(bearer));
  }
}
