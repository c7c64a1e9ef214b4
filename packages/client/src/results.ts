import type { ErrorCode } from './generated/enums.ts';

/**
 * What comes of a call: `data`, or an error whose `code` says which further properties it has. Calls reject for
 * nothing that a network, a gateway or a person can do.
 */
export type Result<Data, Field extends string = never> =
  | { readonly ok: true; readonly data: Data }
  | { readonly ok: false; readonly error: AuthError<Field> };

/** Texts by field of the input, ready to be shown beside it. */
export type FieldErrors<Field extends string> = { readonly [Name in Field]?: readonly string[] };

/** All that can go wrong. Neither the access token nor a password is ever part of it. */
export type AuthError<Field extends string = never> = GatewayError<Field> | ClientError<Field>;

/** What the gateway answered. */
export type GatewayError<Field extends string = never> = GatewayProblem<Field> & {
  /** The gateway's own words. */
  readonly message: string;
  /** What to tell the gateway's operators; undefined where a browser may not see it. */
  readonly requestId: string | undefined;
};

/** To be tried again later. */
export type RetryCode = 'TOO_MANY_ATTEMPTS' | 'SERVICE_UNAVAILABLE';

type GatewayProblem<Field extends string> =
  | { readonly code: 'BAD_USER_INPUT'; readonly fields: FieldErrors<Field> }
  | { readonly code: RetryCode; readonly retryAfterSeconds: number }
  | { readonly code: Exclude<ErrorCode, 'BAD_USER_INPUT' | RetryCode> }
  // A newer gateway's code, which this version of the client does not know.
  | { readonly code: 'UNKNOWN'; readonly gatewayCode: string | undefined };

/** What kept the gateway's answer from coming. */
export type ClientError<Field extends string = never> = ClientProblem<Field> & {
  /** The client's words, in English. */
  readonly message: string;
};

type ClientProblem<Field extends string> =
  // The gateway cannot be reached or the connection broke; no answer in time; the caller's signal. In all three it is
  // not known whether the gateway has done what was asked.
  | { readonly code: 'NETWORK_ERROR' }
  | { readonly code: 'TIMEOUT' }
  | { readonly code: 'ABORTED' }
  // Something answered that is not the gateway: a proxy's error page, most of the time.
  | { readonly code: 'INVALID_RESPONSE'; readonly status: number }
  // A document that is not there, or a path where there is no file system. Nothing was sent.
  | { readonly code: 'FILE_NOT_READABLE'; readonly fields: FieldErrors<Field> };

/** A failure as a result. */
export const failed = <Field extends string = never>(error: AuthError<Field>) =>
  ({ ok: false, error }) as const;
