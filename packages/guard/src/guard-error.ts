/** Why the gateway gave no answer. */
export type GuardErrorCode =
  // No answer in time; the gateway cannot be reached or the connection broke.
  | 'TIMEOUT'
  | 'NETWORK_ERROR'
  // The gateway answered that it is overloaded or has no database, or that this service has sent too many wrong secrets.
  | 'SERVICE_UNAVAILABLE'
  | 'TOO_MANY_ATTEMPTS'
  // The gateway does not accept the options `client` and `secret`. An operator has to correct them.
  | 'UNKNOWN_SERVICE'
  // The gateway gives this service no events (EVENT_CLIENTS). Answers are then used for `cacheMillis` alone.
  | 'NO_EVENTS'
  // Something other than the gateway answered, for example a proxy with an error page.
  | 'INVALID_RESPONSE';

/**
 * The gateway gave no answer, so nobody knows whether a token is valid. The message is for the operators of the service. It
 * contains the origin of the gateway, and never a token or a secret.
 */
export class GuardError extends Error {
  override readonly name = 'GuardError';
  readonly code: GuardErrorCode;
  /** When to try again. */
  readonly retryAfterSeconds: number;

  constructor(code: GuardErrorCode, message: string, retryAfterSeconds = 1) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
