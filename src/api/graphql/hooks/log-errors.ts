import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLError } from 'graphql';
import type { Logger } from '../../../system/log.ts';
import { logServiceError, toServiceError } from '../../http/error-responses.ts';
import { isArgumentError } from '../coercion-errors.ts';
import type { GraphqlContext } from '../context.ts';

/** True for errors of the service. Errors about the request have no path, or graphql-js has added one. */
const isResolverError = (error: GraphQLError): boolean => error.path !== undefined && !isArgumentError(error);

/**
 * Logs the cause of errors that clients see as a fixed text, in one line for each request: a thousand fields may fail for the same
 * reason. It is the first defect, or else the first other failure. `formatError` cannot do this: it has no request.
 */
export const logUnexpectedErrors =
  (log: Logger) =>
  (errors: readonly GraphQLError[], { req }: GraphqlContext): void => {
    const failures = errors
      .filter(isResolverError)
      .map((error) => toServiceError(unwrapResolverError(error)))
      .filter(({ status }) => status >= 500);
    const worst = failures.find(({ status }) => status !== 503) ?? failures[0];
    if (worst) {
      logServiceError(log, req, worst, failures.length);
    }
  };
