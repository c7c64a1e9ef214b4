import type { ApolloServerPlugin } from '@apollo/server';
import { unwrapResolverError } from '@apollo/server/errors';
import { logServiceError, toServiceError } from '../http/service-error.ts';
import type { Logger } from '../log.ts';
import type { GraphqlContext } from './context.ts';

/** Logs the causes of what clients see as a fixed text. `formatError` cannot: it does not know the request. */
export const logUnexpectedErrors = (log: Logger): ApolloServerPlugin<GraphqlContext> => ({
  requestDidStart: async () => ({
    didEncounterErrors: async ({ errors, contextValue }) => {
      // An error without a path is what graphql-js found wrong with the request before running it: the client's affair.
      for (const error of errors.filter(({ path }) => path !== undefined)) {
        logServiceError(log, contextValue.req, toServiceError(unwrapResolverError(error)));
      }
    },
  }),
});
