import { currentSession, end } from './session.ts';
import type { DocumentTypeDecoration } from './typed-document.ts';

/** What the API has refused, or why there is no answer. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly code: string,
    /** Texts by field. */
    readonly fields: Readonly<Record<string, readonly string[]>> = {},
    readonly challenge?: string,
  ) {
    super(message);
  }
}

interface Answer<T> {
  data?: T | null;
  errors?: {
    message: string;
    extensions?: {
      code?: string;
      errors?: Record<string, string[]>;
      challenge?: string;
      reason?: string;
      retryAfterSeconds?: number;
      maxAge?: number;
    };
  }[];
}

/** Where an operation is sent: the operators' API, or the one of everybody else, which has the reviews. */
type Endpoint = 'operators/graphql' | 'graphql';

const AWAY = 'The gateway does not answer. Look at the network, and try again.';

const MAY_BE_DONE = 'It may have happened: look again.';

/**
 * Sends an operation with the token of the session.
 * @throws ApiError. An invalid token ends the session
 */
export async function send<T, V>(
  document: DocumentTypeDecoration<T, V>,
  variables: NoInfer<V>,
  endpoint: Endpoint = 'operators/graphql',
): Promise<T> {
  const session = currentSession();
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(session && { Authorization: `Bearer ${session.token}` }),
    },
    body: JSON.stringify({ query: String(document), variables }),
    credentials: 'omit',
    redirect: 'error',
  }).catch(() => undefined);
  const answer = (await response?.json().catch(() => undefined)) as Answer<T> | undefined;
  const [error] = answer?.errors ?? [];
  if (answer?.data && !error) {
    return answer.data;
  }
  throw errorOf(error, session !== undefined);
}

function errorOf(
  error: NonNullable<Answer<unknown>['errors']>[number] | undefined,
  hadSession: boolean,
): ApiError {
  if (!error) {
    return new ApiError(AWAY, 'NETWORK_ERROR');
  }
  const {
    code = 'INTERNAL_SERVER_ERROR',
    errors,
    challenge,
    reason,
    retryAfterSeconds,
    maxAge,
  } = error.extensions ?? {};
  if (code === 'UNAUTHENTICATED' && hadSession) {
    end('Your session has ended. Log in again.');
  }
  // Reading needs a proof of the last twelve hours, a change one of the last 15 minutes: see StepUp.
  if (code === 'INSUFFICIENT_USER_AUTHENTICATION' && maxAge !== 900) {
    end('Your session has ended after 12 hours. Log in again.');
  }
  const text = reason === 'unknown' ? MAY_BE_DONE : textOf(code, error.message, retryAfterSeconds);
  return new ApiError(text, code, errors, challenge);
}

function textOf(code: string, message: string, retryAfterSeconds: number | undefined): string {
  switch (code) {
    case 'TOO_MANY_ATTEMPTS':
      return `Too many attempts. Try again in ${retryAfterSeconds ?? 60} seconds.`;
    case 'FORBIDDEN':
      return 'This is not permitted: the account is that of an operator or a reviewer, or another operator has to confirm the act.';
    default:
      return message;
  }
}
