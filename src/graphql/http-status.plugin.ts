import type { ApolloServerPlugin, GraphQLRequestContextWillSendResponse } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import { toServiceError } from '../http/service-error.ts';
import type { GraphqlContext } from './context.ts';

type Context = GraphQLRequestContextWillSendResponse<GraphqlContext>;

const RESPONSE_JSON = 'application/graphql-response+json';
/** Refusals that are not about what was asked: generic clients and proxies know what to do with them. */
const TRY_LATER_STATUSES = [429, 503];

/** The HTTP statuses of design section 1, where they differ from Apollo's. */
export const httpStatus: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    willSendResponse: async (context) => {
      answerBadInput(context);
      answerTryLater(context);
    },
  }),
};

/**
 * A variable of the wrong type is bad input like any other, and answered with 200 like any other, where Apollo would
 * say 400. A client that asks for the newer media type gets the status that GraphQL-over-HTTP section 6.4.2 gives it.
 */
function answerBadInput({ request, response: { body, http } }: Context): void {
  if (http.status !== 400 || request.http?.headers.get('accept')?.includes(RESPONSE_JSON)) return;
  const errors = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
  if (errors.length > 0 && errors.every(({ extensions }) => extensions?.code === 'BAD_USER_INPUT')) {
    http.status = 200;
  }
}

/** When nothing came of the request because of a refusal to try later, the response says so with status and headers. */
function answerTryLater({ errors, response: { body, http } }: Context): void {
  if (!errors || body.kind !== 'single' || body.singleResult.data) return;
  const refusal = errors
    .map((error) => toServiceError(unwrapResolverError(error)))
    .find(({ status }) => TRY_LATER_STATUSES.includes(status));
  if (!refusal) return;
  http.status = refusal.status;
  for (const [name, value] of Object.entries(refusal.headers)) http.headers.set(name.toLowerCase(), value);
}
