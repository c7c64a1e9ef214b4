import type { GuardError } from './guard-error.ts';
import type { ForbiddenReason, Refusal, Requirements } from './types.ts';

export const unauthenticated: Refusal = {
  status: 401,
  headers: { 'WWW-Authenticate': 'Bearer' },
  body: { message: 'Unauthenticated.' },
  code: 'UNAUTHENTICATED',
};

/** The texts are those of Laravel (`AuthorizationException`) and Sanctum (`MissingAbilityException`). */
export const forbidden = (reason: ForbiddenReason): Refusal => ({
  status: 403,
  headers: {},
  body: {
    message: reason === 'ability' ? 'Invalid ability provided.' : 'This action is unauthorized.',
    reason,
  },
  code: 'FORBIDDEN',
  extensions: { reason },
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
  body: { message: 'A stronger or newer authentication is required.' },
  code: 'INSUFFICIENT_USER_AUTHENTICATION',
  extensions: { ...(acr !== undefined && { acr }), ...(maxAge !== undefined && { maxAge }) },
});

/** It does not say what is wrong: that is the operators' business. */
export const unavailable = ({ retryAfterSeconds }: GuardError): Refusal => ({
  status: 503,
  headers: { 'Retry-After': String(retryAfterSeconds) },
  body: { message: 'Service Unavailable' },
  code: 'SERVICE_UNAVAILABLE',
});
