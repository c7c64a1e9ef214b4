import type { GuardError } from './guard-error.ts';
import type { Requirements } from './types.ts';

/** An answer to a request that does not get through. */
export interface Refusal {
  status: number;
  headers: Record<string, string>;
  /** As the gateway and Laravel word it. */
  message: string;
  /** The same for GraphQL, one of the gateway's codes. */
  code: string;
  /** Of the GraphQL error, beside the code. */
  extensions?: Record<string, unknown>;
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

/**
 * The token is valid, but its owner was not proven well or recently enough (RFC 9470 section 3). The client keeps the token, and asks
 * the gateway for another one.
 */
export const insufficient = ({ acr, maxAge }: Requirements): Refusal => ({
  status: 401,
  headers: {
    'WWW-Authenticate': [
      'Bearer error="insufficient_user_authentication"',
      'error_description="A different authentication level is required"',
      ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
      ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
    ].join(', '),
  },
  message: 'A stronger or newer authentication is required.',
  code: 'INSUFFICIENT_USER_AUTHENTICATION',
  extensions: { ...(acr !== undefined && { acr }), ...(maxAge !== undefined && { maxAge }) },
});

/** It does not say what is wrong: that is the operators' business. */
export const unavailable = ({ retryAfterSeconds }: GuardError): Refusal => ({
  status: 503,
  headers: { 'Retry-After': String(retryAfterSeconds) },
  message: 'Service Unavailable',
  code: 'SERVICE_UNAVAILABLE',
});
