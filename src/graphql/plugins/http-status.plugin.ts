import type { ApolloServerPlugin, GraphQLRequestContextWillSendResponse } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import { toServiceError } from '../../http/service-error.ts';
import type { GraphqlContext } from '../context.ts';
import { isResponseJson } from '../response-type.ts';
import { exceededLimit } from '../rules/limits.ts';

type Context = GraphQLRequestContextWillSendResponse<GraphqlContext>;

/** Refusals that are not about what was asked: generic clients and proxies know what to do with them. */
const TRY_LATER_STATUSES = [429, 503];

/** The HTTP statuses where they are not Apollo's. */
export const httpStatus: ApolloServerPlugin<GraphqlContext> = {
  requestDidStart: async () => ({
    willSendResponse: async (context) => {
      answerRequestError(context);
      answerTryLater(context);
    },
  }),
};

/**
 * A client of `application/json` reads what is wrong with its operation in the body, and gets 200 as for any result
 * (GraphQL over HTTP section 6.4.1); one of the newer type gets 400 (section 6.4.2), which is what Apollo gives to all.
 * What is no GraphQL request at all is 400 either way, and so is one over a limit, so that it shows wherever requests
 * are watched by their status.
 */
function answerRequestError({ contextValue, errors = [], response: { http } }: Context): void {
  if (http.status !== 400 || isResponseJson(contextValue.req)) return;
  const isRefused = errors.some(
    (error) => error.extensions.code === 'BAD_REQUEST' || exceededLimit(error) !== undefined,
  );
  if (!isRefused) http.status = 200;
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
