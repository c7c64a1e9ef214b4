/** What `extensions.code` of an error can be. Later versions may add to it. */
export const ErrorCode = {
  /** The request cannot be read: broken JSON, a broken multipart body, a missing header. */
  BAD_REQUEST: 'BAD_REQUEST',
  /** A field breaks a rule. `extensions.errors` has the texts by field. */
  BAD_USER_INPUT: 'BAD_USER_INPUT',
  /** The URL of a document is not signed, wrongly signed, or no longer valid. */
  FORBIDDEN: 'FORBIDDEN',
  /** The operation is not GraphQL. */
  GRAPHQL_PARSE_FAILED: 'GRAPHQL_PARSE_FAILED',
  /** The operation does not fit this schema, or asks for more than one may. */
  GRAPHQL_VALIDATION_FAILED: 'GRAPHQL_VALIDATION_FAILED',
  /** Our fault. The response header `X-Request-Id` says which line of the log tells more. */
  INTERNAL_SERVER_ERROR: 'INTERNAL_SERVER_ERROR',
  /** Unknown e-mail address or wrong password; the two are told apart nowhere. */
  INVALID_CREDENTIALS: 'INVALID_CREDENTIALS',
  /** The address does not take this HTTP method. */
  METHOD_NOT_ALLOWED: 'METHOD_NOT_ALLOWED',
  /** There is nothing at this address. */
  NOT_FOUND: 'NOT_FOUND',
  /** The request names no operation, or one that is not in it. */
  OPERATION_RESOLUTION_FAILURE: 'OPERATION_RESOLUTION_FAILURE',
  /** The whole request is too large. One file that is too large is `BAD_USER_INPUT`. */
  PAYLOAD_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  /** The request refers to an operation that it does not carry. */
  PERSISTED_QUERY_NOT_SUPPORTED: 'PERSISTED_QUERY_NOT_SUPPORTED',
  /** The body of the request took too long, or stalled. */
  REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  /** Overloaded, or the database is away. Try again after `extensions.retryAfterSeconds`. */
  SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
  /** Wait for `extensions.retryAfterSeconds`, then try again. */
  TOO_MANY_ATTEMPTS: 'TOO_MANY_ATTEMPTS',
  /** No valid access token where one is required. */
  UNAUTHENTICATED: 'UNAUTHENTICATED'
} as const;

export type ErrorCode = typeof ErrorCode[keyof typeof ErrorCode];
/** What an account is; set by the registration it came from. */
export const Role = {
  /** Registered with a profile and three documents. */
  DOCTOR: 'DOCTOR',
  /** Registered with account details only. */
  PATIENT: 'PATIENT'
} as const;

export type Role = typeof Role[keyof typeof Role];