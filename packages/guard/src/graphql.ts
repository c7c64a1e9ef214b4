import { unauthenticated } from './refusal.ts';
import { refusalFor, requirementsOf } from './requirements.ts';
import type { Clock } from './session-cache.ts';
import type { GraphqlErrorClass, GuardContext, Refusal, Session } from './types.ts';

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

/** @param more extensions besides the code and those of the refusal */
export const graphqlError = (
  GraphqlError: GraphqlErrorClass,
  { body: { message }, code, extensions }: Refusal,
  more: Record<string, unknown> = {},
): Error => new GraphqlError(message, { extensions: { code, ...extensions, ...more } });

export const graphqlContext = (
  session: Session | undefined,
  GraphqlError: GraphqlErrorClass,
  clock: Clock,
): GuardContext => ({
  session,
  requireSession(given = {}) {
    const requirements = requirementsOf(given);
    if (session === undefined) {
      throw graphqlError(GraphqlError, unauthenticated);
    }
    const refusal = refusalFor(session, requirements, clock.now());
    if (refusal !== undefined) {
      throw graphqlError(GraphqlError, refusal);
    }
    return session;
  },
});
