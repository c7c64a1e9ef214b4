import { forbidden, type Refusal, unauthenticated } from './refusal.ts';
import { checkRequirements, unmetBy } from './requirements.ts';
import type { GraphqlErrorClass, GuardContext, Session } from './types.ts';

/**
 * The default, because this package does not depend on graphql. graphql-js takes over the extensions of any error, but some
 * servers, such as GraphQL Yoga, hide every error that is not of graphql's own class.
 */
export class PlainGraphqlError extends Error {
  override readonly name = 'GraphQLError';
  readonly extensions: Record<string, unknown>;

  constructor(message: string, { extensions }: { extensions: Record<string, unknown> }) {
    super(message);
    this.extensions = extensions;
  }
}

/** @param extensions besides the code */
export const graphqlError = (
  GraphqlError: GraphqlErrorClass,
  { message, code }: Refusal,
  extensions: Record<string, unknown> = {},
): Error => new GraphqlError(message, { extensions: { code, ...extensions } });

export const graphqlContext = (
  session: Session | undefined,
  GraphqlError: GraphqlErrorClass,
): GuardContext => ({
  session,
  requireSession(requirements = {}) {
    checkRequirements(requirements);
    if (session === undefined) {
      throw graphqlError(GraphqlError, unauthenticated);
    }
    const unmet = unmetBy(session, requirements);
    if (unmet !== undefined) {
      throw graphqlError(GraphqlError, forbidden(unmet));
    }
    return session;
  },
});
