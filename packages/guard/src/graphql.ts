import { forbidden, type Refusal, unauthenticated } from './refusal.ts';
import { checkRequirements, unmetBy } from './requirements.ts';
import type { GuardContext, Session } from './types.ts';

/**
 * An error that GraphQL servers show to the caller. This package does not depend on graphql: graphql-js takes over the
 * extensions of any error, and servers that hide unexpected errors go by the name.
 */
export class GraphqlRefusal extends Error {
  override readonly name = 'GraphQLError';
  readonly extensions: Record<string, unknown>;

  constructor({ message, code }: Refusal, extensions: Record<string, unknown> = {}, cause?: unknown) {
    super(message, { cause });
    this.extensions = { code, ...extensions };
  }
}

export const graphqlContext = (session: Session | undefined): GuardContext => ({
  session,
  requireSession(requirements = {}) {
    checkRequirements(requirements);
    if (session === undefined) {
      throw new GraphqlRefusal(unauthenticated);
    }
    const unmet = unmetBy(session, requirements);
    if (unmet !== undefined) {
      throw new GraphqlRefusal(forbidden(unmet));
    }
    return session;
  },
});
