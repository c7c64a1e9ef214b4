import type { AuthError } from '@auth-gateway/client';

/** The text for the user about an error that belongs to no field of a form. */
export function problemText(error: AuthError<string>): string {
  switch (error.code) {
    case 'INVALID_CREDENTIALS':
      return 'There is no account with this e-mail and password.';
    case 'TOO_MANY_ATTEMPTS':
      return `Too many attempts. Please try again ${inSeconds(error.retryAfterSeconds)}.`;
    case 'SERVICE_UNAVAILABLE':
      return `The service is busy. Please try again ${inSeconds(error.retryAfterSeconds)}.`;
    case 'FORBIDDEN':
      return 'Your account may not do this.';
    case 'NOT_FOUND':
    case 'BAD_USER_INPUT':
      return error.message;
    case 'PAYLOAD_TOO_LARGE':
      return 'The documents are too large to be sent together.';
    case 'NETWORK_ERROR':
      return 'The service cannot be reached. Please check your connection and try again.';
    case 'TIMEOUT':
    case 'REQUEST_TIMEOUT':
      return 'This took too long. Please try again.';
    case 'ABORTED':
      return 'You have cancelled. Everything may have arrived before that: look before you send it again.';
    case 'CANCELLED':
      return 'No passkey was used.';
    case 'INVALID_RESPONSE':
      return `The service does not answer as it should (HTTP ${error.status}). Please try again later.`;
    default:
      return 'requestId' in error && error.requestId !== undefined
        ? `${error.message} When you report this, please mention ${error.requestId}.`
        : error.message;
  }
}

const inSeconds = (seconds: number): string => (seconds === 1 ? 'in a second' : `in ${seconds} seconds`);
