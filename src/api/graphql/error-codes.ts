import { GraphQLEnumType } from 'graphql';

/**
 * Every `extensions.code` that a caller may see: the codes of our own errors (src/system/errors.ts), and those of Apollo Server
 * and graphql-js for a request that cannot run. A test compares this list with the error classes.
 */
const ERROR_CODES = {
  BAD_USER_INPUT: 'A field breaks a rule. `extensions.errors` has the texts by field.',
  INVALID_CREDENTIALS: 'Unknown e-mail address or wrong password. No answer shows which of the two.',
  UNAUTHENTICATED: 'No valid access token where one is required.',
  FORBIDDEN:
    'Not for this caller: the role of the account, the abilities of the access token, a field of another account, or a URL of a document without a valid signature.',
  TOO_MANY_ATTEMPTS: 'Wait for `extensions.retryAfterSeconds`, then try again.',
  SERVICE_UNAVAILABLE: 'Overloaded, or the database is away. Try again after `extensions.retryAfterSeconds`.',
  PAYLOAD_TOO_LARGE: 'The whole request is too large. One file that is too large is `BAD_USER_INPUT`.',
  REQUEST_TIMEOUT: 'The body of the request took too long, or stalled.',
  BAD_REQUEST: 'The request cannot be read: broken JSON, a broken multipart body, a missing header.',
  GRAPHQL_PARSE_FAILED: 'The operation is not GraphQL.',
  GRAPHQL_VALIDATION_FAILED: 'The operation does not fit this schema, or is over a limit.',
  OPERATION_RESOLUTION_FAILURE: 'The request does not name one of its operations.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'The request has only the hash of an operation, not the operation itself.',
  NOT_FOUND: 'There is nothing at this address, or the gateway is not set up for this operation.',
  METHOD_NOT_ALLOWED: 'The address does not take this HTTP method.',
  INTERNAL_SERVER_ERROR:
    'Our fault. Give the response header `X-Request-Id` to the operators: it is in the log line with the cause.',
} as const;

/**
 * The codes as a type of the schema, so that codegen gives them to clients. No field has this type: a schema does not
 * describe the extensions of errors.
 */
export const ErrorCodeType = new GraphQLEnumType({
  name: 'ErrorCode',
  description: 'The values of `extensions.code` of an error. Later versions may add more.',
  values: Object.fromEntries(
    Object.entries(ERROR_CODES).map(([code, description]) => [code, { description }]),
  ),
});
