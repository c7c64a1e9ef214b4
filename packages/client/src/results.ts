import type { ErrorCode, ForbiddenReason, Rule } from './generated/enums.ts';

/**
 * The result of a call: `data`, or an error whose `code` says which other properties it has. No failure of a network, a
 * gateway or a user rejects the promise of a call. Either part can also be read without a look at `ok`: programs without `strict`
 * (Next.js makes such a tsconfig.json) cannot narrow by it.
 */
export type Result<Data, Field extends string = never> =
  | { readonly ok: true; readonly data: Data; readonly error?: undefined }
  | { readonly ok: false; readonly error: AuthError<Field>; readonly data?: undefined };

/** Texts by field of the input, for people. */
export type FieldErrors<Field extends string> = { readonly [Name in Field]?: readonly string[] };

/** A rule that a field breaks, with its limit: a number, a day (`YYYY-MM-DD`), or the values that are allowed. */
export interface BrokenRule {
  readonly rule: Rule;
  readonly limit?: number | string | readonly string[];
}

/** Broken rules by field of the input, in the order of the texts: for programs that make their own texts. */
export type FieldRules<Field extends string> = { readonly [Name in Field]?: readonly BrokenRule[] };

/** Any error of a call. It never contains an access token or a password; a login's may have a challenge, which only a code completes. */
export type AuthError<Field extends string = never> = GatewayError<Field> | ClientError<Field>;

/** An error that the gateway answered. */
export type GatewayError<Field extends string = never> = GatewayProblem<Field> & {
  /** The gateway's text; the client's if the operation may have happened. */
  readonly message: string;
  /** The id of the request for the gateway's operators; undefined if a browser hides the header. */
  readonly requestId: string | undefined;
};

/** The codes of errors after which the same call may succeed later. */
export type RetryCode = 'TOO_MANY_ATTEMPTS' | 'SERVICE_UNAVAILABLE';

/** The codes of a login with the right password that needs a second factor, or has to set one up. */
export type ChallengeCode = 'TWO_FACTOR_REQUIRED' | 'TWO_FACTOR_SETUP_REQUIRED';

/** What continues a login, until `expiresAt`. It is secret: keep it in memory only. */
export interface Challenge {
  readonly challenge: string;
  readonly expiresAt: string;
}

type GatewayProblem<Field extends string> =
  // `unknownCredential` is true if the gateway does not have the passkey (any more).
  | {
      readonly code: 'BAD_USER_INPUT';
      readonly fields: FieldErrors<Field>;
      readonly rules: FieldRules<Field>;
      readonly unknownCredential?: true;
    }
  // With the reason `unknown`, the operation may have happened: look again before you repeat it.
  | { readonly code: RetryCode; readonly retryAfterSeconds: number; readonly reason?: 'unknown' }
  | { readonly code: 'INTERNAL_SERVER_ERROR'; readonly reason?: 'unknown' }
  // A login whose password was right. `message` says if a code was missing, or wrong.
  | (Challenge & { readonly code: 'TWO_FACTOR_REQUIRED'; readonly methods: readonly string[] })
  | (Challenge & { readonly code: 'TWO_FACTOR_SETUP_REQUIRED' })
  | { readonly code: 'FORBIDDEN'; readonly reason: ForbiddenReason | undefined }
  | {
      readonly code: Exclude<
        ErrorCode,
        'BAD_USER_INPUT' | 'FORBIDDEN' | 'INTERNAL_SERVER_ERROR' | RetryCode | ChallengeCode
      >;
    }
  // A code of a newer gateway that this version of the client does not know.
  | { readonly code: 'UNKNOWN'; readonly gatewayCode: string | undefined };

/** An error that the client found: no answer of the gateway arrived. */
export type ClientError<Field extends string = never> = ClientProblem<Field> & {
  /** The client's text, in English. */
  readonly message: string;
};

type ClientProblem<Field extends string> =
  // The gateway cannot be reached or the connection broke; no answer within the timeout; the caller's signal. In all three
  // cases the gateway may have carried out the operation.
  | { readonly code: 'NETWORK_ERROR' }
  | { readonly code: 'TIMEOUT' }
  | { readonly code: 'ABORTED' }
  // Something other than the gateway answered, usually a proxy with an error page.
  | { readonly code: 'INVALID_RESPONSE'; readonly status: number }
  // The person has closed the dialog of a passkey, or another one has taken its place. Nobody has failed.
  | { readonly code: 'CANCELLED' }
  // The device has a passkey of the account already.
  | { readonly code: 'PASSKEY_EXISTS' }
  // The browser has no passkeys, or not for this page.
  | { readonly code: 'PASSKEYS_UNAVAILABLE' }
  // A document that does not exist, or a path outside Node.js. Nothing was sent.
  | { readonly code: 'FILE_NOT_READABLE'; readonly fields: FieldErrors<Field> };

/** A failure as a result. */
export const failed = <Field extends string = never>(error: AuthError<Field>) =>
  ({ ok: false, error }) as const;
