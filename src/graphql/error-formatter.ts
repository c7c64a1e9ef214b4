import { ApolloServerValidationErrorCode } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { ServiceError } from '../errors/errors.ts';
import { toServiceError } from '../http/service-error.ts';
import { coercionText, isArgumentError, withoutValues } from './coercion-errors.ts';
import { exceededLimit } from './rules/limits.ts';

/** Errors that Apollo and graphql-js make of a request that is not fit to run. All others are ours, or unexpected. */
const REQUEST_ERROR_CODES = new Set([
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
  'BAD_USER_INPUT',
  'BAD_REQUEST',
  'OPERATION_RESOLUTION_FAILURE',
  // Clients that try a persisted query know by it that they have to send the query.
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

type FormatError = (formatted: GraphQLFormattedError, thrown: unknown) => GraphQLFormattedError;

/**
 * What a GraphQL client sees of an error: never more than a ServiceError's public part, never a value that was sent.
 * @param showsSchema whether a text may name what the schema has (introspection is on)
 * @returns a function that takes graphql-js's own idea of the error, whose place in the document and result is kept,
 * and what was thrown, wrapped by graphql-js or not
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
  if (code === undefined) return presentServiceError(toServiceError(original(thrown)));
  const coercion = code === 'BAD_USER_INPUT' ? coercionText(formatted.message) : undefined;
  const message = coercion ?? exceededLimit(thrown) ?? requestErrorText(formatted, showsSchema);
  return { message, extensions: { code } };
}

/** The error that graphql-js or one of our plugins has wrapped. */
const original = (thrown: unknown): unknown =>
  thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown;

/** @returns undefined for an error that is ours, or unexpected */
function requestErrorCode({ extensions }: GraphQLFormattedError, thrown: unknown): string | undefined {
  if (original(thrown) instanceof ServiceError) return undefined;
  if (isArgumentError(thrown)) return 'BAD_USER_INPUT';
  // With a path it is from a resolver, whatever its code says.
  if (!(thrown instanceof GraphQLError) || thrown.path) return undefined;
  const code = String(extensions?.code);
  if (REQUEST_ERROR_CODES.has(code)) return code;
  // Apollo has no code for errors that graphql-js finds before execution, such as a subscription, which this schema does
  // not have. Errors of the server have an original error.
  return thrown.originalError ? undefined : 'BAD_USER_INPUT';
}

/**
 * graphql-js's texts about a document suggest names that are nearly right, and tell of types and of required arguments
 * that the document does not have: enough to read out the schema one error at a time. Where it is not to be read, only
 * the place in the document is told. ASVS 5.0 item 4.3.2.
 */
function requestErrorText({ message, extensions }: GraphQLFormattedError, showsSchema: boolean): string {
  if (extensions?.validationErrorCode === ApolloServerValidationErrorCode.INTROSPECTION_DISABLED)
    return 'Introspection is off.';
  if (extensions?.code === 'GRAPHQL_VALIDATION_FAILED' && !showsSchema)
    return 'The document does not fit the schema.';
  return withoutValues(message);
}

/** A ServiceError in GraphQL's shape. */
export const presentServiceError = (error: ServiceError): GraphQLFormattedError => ({
  message: error.message,
  extensions: { code: error.code, ...error.extensions },
});
