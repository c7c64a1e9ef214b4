import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLError } from 'graphql';
import { logServiceError, toServiceError } from '../../http/to-service-error.ts';
import type { Logger } from '../../system/log.ts';
import { isArgumentError } from '../coercion-errors.ts';
import type { GraphqlContext } from '../context.ts';

/** True for errors of the service. Errors about the request have no path, or graphql-js has added one. */
const isResolverError = (error: GraphQLError): boolean => error.path !== undefined && !isArgumentError(error);

/** Logs the causes of errors that clients see as a fixed text. `formatError` cannot do this: it has no request. */
export const logUnexpectedErrors =
  (log: Logger) =>
  (errors: readonly GraphQLError[], { req }: GraphqlContext): void => {
    for (const error of errors.filter(isResolverError)) {
      logServiceError(log, req, toServiceError(unwrapResolverError(error)));
    }
  };
