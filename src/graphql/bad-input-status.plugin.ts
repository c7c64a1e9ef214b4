import type { ApolloServerPlugin } from '@apollo/server';

const RESPONSE_JSON = 'application/graphql-response+json';

/**
 * A variable of the wrong type is bad input like any other, and answered with HTTP 200 like any other (design
 * section 1), where Apollo would say 400. A client that asks for the newer media type gets the status that
 * GraphQL-over-HTTP section 6.4.2 gives it.
 */
export const badInputStatus: ApolloServerPlugin = {
  requestDidStart: async () => ({
    willSendResponse: async ({ request, response: { body, http } }) => {
      if (http.status !== 400 || request.http?.headers.get('accept')?.includes(RESPONSE_JSON)) return;
      const errors = body.kind === 'single' ? (body.singleResult.errors ?? []) : [];
      if (errors.length > 0 && errors.every(({ extensions }) => extensions?.code === 'BAD_USER_INPUT')) {
        http.status = 200;
      }
    },
  }),
};
