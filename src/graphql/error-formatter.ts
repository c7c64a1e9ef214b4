import { unwrapResolverError } from '@apollo/server/errors';
import type { GraphQLFormattedError } from 'graphql';
import type { ServiceError } from '../errors.ts';
import { toServiceError } from '../http/service-error.ts';
import { type CoercionProblem, readCoercionProblem, withoutValues } from './coercion-errors.ts';

/** Errors that Apollo and graphql-js make of a request that is not fit to run. All others are ours, or unexpected. */
const REQUEST_ERROR_CODES = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
]);

/**
 * What a GraphQL client sees of an error: never more than a ServiceError's public part, never a value that was sent.
 * @param formatted graphql-js's own idea of it, whose place in the document and result is kept
 * @param thrown what was thrown, wrapped by graphql-js or not
 */
export function formatGraphqlError(formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const { locations, path } = formatted;
  return { ...present(formatted, thrown), ...(locations && { locations }), ...(path && { path }) };
}

function present(formatted: GraphQLFormattedError, thrown: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(thrown);
  const code = formatted.extensions?.code;
  const isRequestError = original === thrown && typeof code === 'string' && REQUEST_ERROR_CODES.has(code);
  if (!isRequestError) return presentServiceError(toServiceError(original));
  const problem = readCoercionProblem(formatted.message);
  if (problem) return presentCoercionProblem(problem);
  return { message: withoutValues(formatted.message), extensions: { code } };
}

/** A ServiceError in GraphQL's shape. */
export const presentServiceError = (error: ServiceError): GraphQLFormattedError => ({
  message: error.message,
  extensions: { code: error.code, ...error.extensions },
});

const presentCoercionProblem = ({ message, errors }: CoercionProblem): GraphQLFormattedError => ({
  message,
  extensions: { code: 'BAD_USER_INPUT', ...(errors ? { errors } : {}) },
});
