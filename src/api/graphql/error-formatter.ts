import { ApolloServerValidationErrorCode } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { ServiceError } from '../../system/errors/service-error.ts';
import { toServiceError } from '../http/error-responses.ts';
import { coercionText, isArgumentError, withoutValues } from './coercion-errors.ts';
import { exceededLimit } from './rules/limits.ts';

/** The codes of Apollo and graphql-js for a request that cannot run. All other errors are ours, or unexpected. */
const REQUEST_ERROR_CODES = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
  // A client that tried a persisted query then sends the query itself.
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

export type FormatError = (formatted: GraphQLFormattedError, thrown: unknown) => GraphQLFormattedError;

/**
 * Formats an error for a GraphQL client: at most the public part of a ServiceError, and never a value that was sent.
 * @param showsSchema true if a text may name parts of the schema (introspection is on)
 * @returns a function of two arguments: the error as graphql-js formats it, whose locations and path are kept, and the error
 *   that was thrown, wrapped by graphql-js or not
 */
export const formatGraphqlError =
  (showsSchema: boolean): FormatError =>
  (formatted, thrown) => {
    const { locations, path } = formatted;
    return {
      ...present(formatted, thrown, showsSchema),
      ...(locations && { locations }),
      ...(path && { path }),
    };
  };

function present(
  formatted: GraphQLFormattedError,
  thrown: unknown,
  showsSchema: boolean,
): GraphQLFormattedError {
  const code = requestErrorCode(formatted, thrown);
  if (code === undefined) {
    return presentServiceError(toServiceError(original(thrown)));
  }
  const coercion = code === 'BAD_USER_INPUT' ? coercionText(formatted.message) : undefined;
  const message = coercion ?? exceededLimit(thrown) ?? requestErrorText(formatted, showsSchema);
  return { message, extensions: { code } };
}

/** The error inside a wrapper of graphql-js or of our plugins. */
const original = (thrown: unknown): unknown =>
  thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown;

/** @returns undefined if the error is ours, or unexpected */
function requestErrorCode({ extensions }: GraphQLFormattedError, thrown: unknown): string | undefined {
  if (original(thrown) instanceof ServiceError) {
    return undefined;
  }
  if (isArgumentError(thrown)) {
    return 'BAD_USER_INPUT';
  }
  // An error with a path comes from a resolver, whatever its code is.
  if (!(thrown instanceof GraphQLError) || thrown.path) {
    return undefined;
  }
  const code = String(extensions?.code);
  if (REQUEST_ERROR_CODES.has(code)) {
    return code;
  }
  // Apollo has no code for errors of graphql-js before execution, such as a subscription, which this schema does not have.
  // Errors of the server have an original error.
  return thrown.originalError ? undefined : 'BAD_USER_INPUT';
}

/**
 * The texts of graphql-js about a document suggest similar names, and name types and required arguments that are not in the
 * document. With them, a caller could read the schema one error at a time. If the schema is hidden, the answer has only the
 * place in the document. ASVS 5.0 item 4.3.2.
 */
function requestErrorText({ message, extensions }: GraphQLFormattedError, showsSchema: boolean): string {
  if (extensions?.validationErrorCode === ApolloServerValidationErrorCode.INTROSPECTION_DISABLED) {
    return 'Introspection is off.';
  }
  if (extensions?.code === 'GRAPHQL_VALIDATION_FAILED' && !showsSchema) {
    return 'The document does not fit the schema.';
  }
  return withoutValues(message);
}

/** Formats a ServiceError as a GraphQL error. */
export const presentServiceError = (error: ServiceError): GraphQLFormattedError => ({
  message: error.message,
  extensions: { code: error.code, ...error.extensions },
});
