import { ApolloServerValidationErrorCode } from '@apollo/server/errors';
import { GraphQLEnumType, GraphQLError, type GraphQLFormattedError } from 'graphql';
import { FORBIDDEN_REASONS, RULES } from '../../system/error-details.ts';
import { ServiceError } from '../../system/errors.ts';
import { toServiceError } from '../http/error-responses.ts';
import { exceededLimit } from './limits/limits.ts';

/** The codes of Apollo and graphql-js for a request that cannot run. All other errors are a ServiceError, or unexpected. */
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

/** The error inside a wrapper of graphql-js or of a plugin. */
const original = (thrown: unknown): unknown =>
  thrown instanceof GraphQLError ? (thrown.originalError ?? thrown) : thrown;

/** @returns undefined for a ServiceError, and for an unexpected error */
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
  extensions: {
    code: error.code,
    ...error.extensions,
    ...(error.isOutcomeUnknown && { reason: 'unknown' }),
  },
});

/** Sets the HTTP status. Apollo reads it and removes it from the response. */
export const BAD_REQUEST = { http: { status: 400 } } as const;

/*
 * The text of graphql-js about a value of the wrong type quotes the value:
 *   Variable "$id" got invalid value ["hunter2"]; ID cannot represent value: ["hunter2"]
 * The value may be a password, and the type is part of a schema that may be hidden, so the gateway writes its own text.
 */
const VARIABLE = /^(Variable "\$\w+") (?:of |got invalid value)/;
const ARGUMENT = /^(Argument "\w+") (?:of |has invalid value)/;

/** The text about a variable or argument whose value is of the wrong type. */
export const typeErrorText = (name: string): string => `${name} is missing or of the wrong type.`;

/**
 * The text for a variable that graphql-js cannot coerce, or for an argument that contains variables.
 * @param message of graphql-js
 * @returns a text without the value and its type; undefined for other messages
 */
export function coercionText(message: string): string | undefined {
  const name = (VARIABLE.exec(message) ?? ARGUMENT.exec(message))?.[1];
  return name && typeErrorText(name);
}

/**
 * True if graphql-js could not coerce an argument during execution: a variable with a default may still be sent as null.
 * Such an error has a path, like an error of a resolver.
 */
export function isArgumentError(error: unknown): boolean {
  if (!(error instanceof GraphQLError)) {
    return false;
  }
  // graphql-js wraps its own error to add the path.
  const { originalError: thrown = error } = error;
  return (
    thrown instanceof GraphQLError && thrown.originalError === undefined && ARGUMENT.test(thrown.message)
  );
}

/**
 * The text of a request error without the literals that it quotes: not only a variable, but also a document may contain a
 * password. The names of types and fields stay.
 * Every pattern is anchored at the start of the message, so that a long message is read only once.
 */
export const withoutValues = (message: string): string =>
  message
    .replace(/^((?:Enum "\w+"|\w+) cannot represent [^:]{0,100}): [\s\S]*$/, '$1.')
    .replace(/^(Expected value of type "[^"]{0,100}"), found [\s\S]*$/, '$1.')
    .replace(/^(Syntax Error: Unexpected \w+) "[\s\S]*$/, '$1.')
    .replace(/^(Syntax Error: .{0,100}?)(?:, found| Invalid character:|: ")[\s\S]*$/, '$1.');

/**
 * Every `extensions.code` that a caller may see: the codes of `src/system/errors.ts`, and those of Apollo Server
 * and graphql-js for a request that cannot run. A test compares this list with the error classes.
 */
const ERROR_CODES = {
  BAD_USER_INPUT:
    'A field breaks a rule. `extensions.errors` has the texts by field, `extensions.rules` the rules in the same order.',
  TWO_FACTOR_REQUIRED:
    'The password is right, and the account has a second factor. Send a code, or give `extensions.challenge` to `completeLogin`.',
  TWO_FACTOR_SETUP_REQUIRED:
    'The password is right, and the account must set up a second factor: give `extensions.challenge` to `enableTwoFactor` and `confirmTwoFactor`.',
  INSUFFICIENT_USER_AUTHENTICATION:
    'The access token is valid, but a stronger or newer authentication is required. `stepUp` gives one.',
  INVALID_CREDENTIALS: 'Unknown e-mail address or wrong password. No answer shows which of the two.',
  UNAUTHENTICATED: 'No valid access token where one is required.',
  FORBIDDEN: 'Not for this caller. `extensions.reason` says why.',
  TOO_MANY_ATTEMPTS: 'Wait for `extensions.retryAfterSeconds`, then try again.',
  SERVICE_UNAVAILABLE:
    'Overloaded, or the database is unreachable. Try again after `extensions.retryAfterSeconds`. If `extensions.reason` is `unknown`, it may have happened: look again.',
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
    'Our fault. Give the response header `X-Request-Id` to the operators: it is in the log line with the cause. If `extensions.reason` is `unknown`, it may have happened: look again.',
} as const;

const enumOf = (name: string, description: string, values: Readonly<Record<string, string>>) =>
  new GraphQLEnumType({
    name,
    description: `${description} Later versions may add more.`,
    values: Object.fromEntries(Object.entries(values).map(([value, text]) => [value, { description: text }])),
  });

/*
 * What errors have in their extensions, as types of the schema, so that codegen gives them to clients. No field has these
 * types: a schema does not describe the extensions of errors.
 */
export const ErrorCodeType = enumOf('ErrorCode', 'The values of `extensions.code` of an error.', ERROR_CODES);
const RuleType = enumOf('Rule', 'The values of `rule` in `extensions.rules` of an error.', RULES);
const ForbiddenReasonType = enumOf(
  'ForbiddenReason',
  'The values of `extensions.reason` of an error with the code `FORBIDDEN`.',
  FORBIDDEN_REASONS,
);
export const ERROR_TYPES = [RuleType, ForbiddenReasonType];
