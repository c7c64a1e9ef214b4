import type { GuardError } from './guard-error.ts';

/** An answer to a request that does not get through. */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  /** As the gateway and Laravel word it. */
  message: string;
  /** The same for GraphQL, one of the gateway's codes. */
  code: string;
}

export const unauthenticated: Refusal = {
  status: 401,
  headers: { 'WWW-Authenticate': 'Bearer' },
  message: 'Unauthenticated.',
  code: 'UNAUTHENTICATED',
};

export const forbidden = (message: string): Refusal => ({
  status: 403,
  headers: {},
  message,
  code: 'FORBIDDEN',
});

/** It does not say what is wrong: that is the operators' business. */
export const unavailable = ({ retryAfterSeconds }: GuardError): Refusal => ({
  status: 503,
  headers: { 'Retry-After': String(retryAfterSeconds) },
  message: 'Service Unavailable',
  code: 'SERVICE_UNAVAILABLE',
});
