import { type BrokenRule, broken, type ForbiddenReason, type Rule, type RuleLimit } from './error-details.ts';

export interface ServiceErrorOptions {
  /** For the log only; never shown to a caller. */
  detail?: string | undefined;
  cause?: unknown;
  /** Extra HTTP response headers, such as Retry-After. */
  headers?: Record<string, string>;
}

/**
 * The base class of every error that a caller may see. Its `message` is public; `detail` and `cause` go to the log. Any other
 * error is unexpected, and the caller gets the fixed text of UnexpectedError.
 */
export abstract class ServiceError extends Error {
  /** Machine-readable, for `extensions.code` of the GraphQL API. */
  abstract readonly code: string;
  /** HTTP status of the REST API. */
  abstract readonly status: number;
  readonly detail: string | undefined;
  readonly headers: Record<string, string>;
  /** True if what the caller has asked for may have happened (auth/running-act.ts). */
  isOutcomeUnknown = false;

  constructor(message: string, options: ServiceErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.name = new.target.name;
    this.detail = options.detail;
    this.headers = options.headers ?? {};
  }

  /** The `extensions` of the GraphQL error, beside the code. */
  get extensions(): Record<string, unknown> {
    return {};
  }
}

/** Broken rules by field. The keys are the property names of the input classes (camelCase). */
export type FieldErrors = Record<string, BrokenRule[]>;

/** Input that breaks a rule: 422 with Laravel's wording, texts by field. */
export class ValidationError extends ServiceError {
  readonly code: string = 'BAD_USER_INPUT';
  readonly status = 422;

  constructor(
    readonly fields: FieldErrors,
    options?: ServiceErrorOptions,
  ) {
    super(summary(fields), options);
  }

  /** The texts by field. */
  get errors(): Record<string, string[]> {
    return byField(this.fields, ({ text }) => text);
  }

  /** The rules by field, in the order of the texts. */
  get rules(): Record<string, { rule: Rule; limit?: RuleLimit }[]> {
    return byField(this.fields, ({ rule, limit }) => ({ rule, ...(limit !== undefined && { limit }) }));
  }

  override get extensions(): Record<string, unknown> {
    return { errors: this.errors, rules: this.rules };
  }
}

const byField = <T>(fields: FieldErrors, present: (broken: BrokenRule) => T): Record<string, T[]> =>
  Object.fromEntries(Object.entries(fields).map(([field, rules]) => [field, rules.map(present)]));

/** Laravel's ValidationException::summarize: the first text, then the number of the others. */
function summary(fields: FieldErrors): string {
  const texts = Object.values(fields).flatMap((rules) => rules.map(({ text }) => text));
  const [first = 'The given data was invalid.', ...others] = texts;
  if (others.length === 0) {
    return first;
  }
  return `${first} (and ${others.length} more ${others.length === 1 ? 'error' : 'errors'})`;
}

/** A password reset token that is unknown, used or expired, or whose account cannot be reset. The text is Laravel's. */
export class InvalidResetTokenError extends ValidationError {
  constructor() {
    super({ token: broken('expired', 'This password reset token is invalid.') });
  }
}

/** A place in a list that the list has not, or has no more. */
export class InvalidCursorError extends ValidationError {
  constructor() {
    super({ after: broken('format', 'The after field must be a cursor of this list.') });
  }
}

/** The token of a link to prove an e-mail that is unknown, used or expired, or does not fit its account any more. */
export class InvalidEmailTokenError extends ValidationError {
  constructor() {
    super({ token: broken('expired', 'This e-mail verification token is invalid.') });
  }
}

/** The token of an invitation that is unknown, void, used or expired, or for another role. */
export class InvalidInvitationError extends ValidationError {
  constructor() {
    super({ invitation: broken('expired', 'This invitation is invalid or has expired. Ask for a new one.') });
  }
}

/** The token of a link that sets up an account, which is unknown, used or expired, or does not fit its account any more. */
export class InvalidSetUpTokenError extends ValidationError {
  constructor() {
    super({ token: broken('expired', 'This link is invalid or has expired. Ask for a new one.') });
  }
}

/** A code or a recovery code that does not prove the second factor, beside a right password. */
export class InvalidProofError extends ValidationError {}

/** A passkey that was not accepted. Callers cannot find out why, but for one that is unknown: its id is random, and says nothing of a person. */
export class InvalidPasskeyError extends ValidationError {
  /**
   * @param detail one of a few texts; only for the audit trail
   * @param isUnknown true if the gateway does not have the passkey (any more), so that the device may forget it
   */
  constructor(
    detail: string,
    readonly isUnknown = false,
  ) {
    super({ credential: broken('wrong', 'This passkey was not accepted.') }, { detail });
  }

  override get extensions(): Record<string, unknown> {
    return { ...super.extensions, ...(this.isUnknown && { unknownCredential: true }) };
  }
}

/** The password is known to somebody who has tried far too many codes, so it opens nothing any more. */
export class PasswordBlockedError extends ValidationError {
  constructor() {
    super({ password: broken('expired', 'Too many wrong codes. Choose a new password by a reset link.') });
  }
}

/** A challenge that is unknown, used or expired, or does not fit its account any more. Callers cannot find out which. */
export class InvalidChallengeError extends ValidationError {
  constructor() {
    super({ challenge: broken('expired', 'This challenge is invalid or has expired. Log in again.') });
  }
}

/** What the caller of a login gets in place of a token. */
interface ChallengeFacts {
  /** Its plain text, shown only here. */
  challenge: string;
  expiresAt: Date;
}

/** A login whose password was right, and that lacks something. */
export abstract class ChallengeError extends ValidationError {
  constructor(
    fields: FieldErrors,
    readonly facts: ChallengeFacts,
  ) {
    super(fields);
  }

  override get extensions(): Record<string, unknown> {
    const { challenge, expiresAt } = this.facts;
    return { ...super.extensions, challenge, expiresAt: expiresAt.toISOString() };
  }
}

/** The account has a second factor. 422, because callers that do not know it show the texts of a 422, but take a 401 for a wrong password. */
export class TwoFactorRequiredError extends ChallengeError {
  override readonly code = 'TWO_FACTOR_REQUIRED';

  /** @param methods what finishes the login, as a caller names it */
  constructor(
    fields: FieldErrors,
    readonly methods: readonly string[],
    facts: ChallengeFacts,
  ) {
    super(fields, facts);
  }

  override get extensions(): Record<string, unknown> {
    return { ...super.extensions, methods: this.methods };
  }
}

/** The operators ask for a second factor that the account does not have yet (TWO_FACTOR_REQUIRED). */
export class TwoFactorSetupRequiredError extends ChallengeError {
  override readonly code = 'TWO_FACTOR_SETUP_REQUIRED';

  constructor(facts: ChallengeFacts) {
    super(
      { code: broken('required', 'Two factor authentication must be set up before you can log in.') },
      facts,
    );
  }
}

/** An access token whose owner was not proven well or recently enough (RFC 9470 section 3). */
export class InsufficientAuthenticationError extends ServiceError {
  readonly code = 'INSUFFICIENT_USER_AUTHENTICATION';
  readonly status = 401;

  /** @param needs what would be enough; `maxAgeSeconds` is the time since the last proof */
  constructor(private readonly needs: { acr?: string | undefined; maxAgeSeconds?: number | undefined }) {
    const { acr, maxAgeSeconds } = needs;
    const required = [
      ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
      ...(maxAgeSeconds === undefined ? [] : [`max_age="${maxAgeSeconds}"`]),
    ];
    const error = 'error="insufficient_user_authentication"';
    const description = 'error_description="A different authentication level is required"';
    super('A stronger or newer authentication is required.', {
      detail: ['the authentication is not strong or recent enough', ...required].join(' '),
      headers: { 'WWW-Authenticate': `Bearer ${[error, description, ...required].join(', ')}` },
    });
  }

  /** Like the guard's (packages/guard). */
  override get extensions(): Record<string, unknown> {
    const { acr, maxAgeSeconds: maxAge } = this.needs;
    return { ...(acr !== undefined && { acr }), ...(maxAge !== undefined && { maxAge }) };
  }
}

/** A login with an unknown e-mail, a wrong password or a disabled account. Callers cannot find out which (docs/contract.md). */
export class InvalidCredentialsError extends ServiceError {
  readonly code = 'INVALID_CREDENTIALS';
  readonly status = 401;

  /** @param detail which of them it was; only for the audit trail */
  constructor(detail?: string) {
    super('Invalid credentials', { detail });
  }
}

/** A required access token is missing or not valid (RFC 6750 section 3). */
export class UnauthenticatedError extends ServiceError {
  readonly code = 'UNAUTHENTICATED';
  readonly status = 401;

  constructor() {
    super('Unauthenticated.', { headers: { 'WWW-Authenticate': 'Bearer' } });
  }
}

/** A service that is unknown, or whose secret is wrong (RFC 6749 section 5.2). It cannot find out which. */
export class InvalidServiceError extends ServiceError {
  readonly code = 'UNAUTHENTICATED';
  readonly status = 401;

  /** @param detail the reason; only for the audit trail */
  constructor(detail?: string) {
    super('Unknown service or wrong secret.', { detail, headers: { 'WWW-Authenticate': BASIC_CHALLENGE } });
  }
}

/** Asks for a service's id and secret (RFC 7617 section 2). */
const BASIC_CHALLENGE = 'Basic realm="auth-gateway", charset="UTF-8"';

/** A caller who may not do this. */
export abstract class ForbiddenError extends ServiceError {
  readonly code = 'FORBIDDEN';
  readonly status = 403;

  constructor(
    message: string,
    readonly reason: ForbiddenReason,
    detail?: string,
  ) {
    super(message, { detail });
  }

  override get extensions(): Record<string, unknown> {
    return { reason: this.reason };
  }
}

/** An account or a token without what a proxy or an act requires. The text is Laravel's. */
export class InsufficientAccessError extends ForbiddenError {
  /** @param detail what is missing; only for the audit trail */
  constructor(reason: ForbiddenReason, detail?: string) {
    super('This action is unauthorized.', reason, detail);
  }
}

/** An access token without the ability that an act needs. The text is that of Sanctum's MissingAbilityException. */
export class MissingAbilityError extends ForbiddenError {
  /** @param detail what is missing; only for the audit trail */
  constructor(detail: string) {
    super('Invalid ability provided.', 'ability', detail);
  }
}

/** A service that asks for events which EVENT_CLIENTS does not allow it. */
export class ServiceNotAllowedError extends ForbiddenError {
  constructor() {
    super('The service may not read these events.', 'service');
  }
}

/** The URL of a document without a valid signature. The text is Laravel's for its own signed URLs. */
export class InvalidSignatureError extends ForbiddenError {
  constructor() {
    super('Invalid signature.', 'signature');
  }
}

/** A registration in a role that is closed, or that needs an invitation (PATIENT_REGISTRATION, DOCTOR_REGISTRATION). */
export class RegistrationClosedError extends ForbiddenError {
  constructor(mode: 'invited' | 'off') {
    super(mode === 'off' ? 'Registration is closed.' : 'Registration is by invitation only.', 'registration');
  }
}

/** A form that a page of another site sent with a user's browser. */
export class CrossSiteFormError extends ForbiddenError {
  constructor() {
    super('Forms of other sites are not accepted.', 'origin');
  }
}

/** A request that cannot be read (broken JSON, a broken form), or another fault of the request with its own status. */
export class BadRequestError extends ServiceError {
  readonly code = 'BAD_REQUEST';
  readonly status: number;

  constructor(message: string, options: ServiceErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.status = options.status ?? 400;
  }
}

/** A body of a type or an encoding that the gateway does not read (RFC 9110 section 15.5.16). */
export class UnsupportedMediaTypeError extends BadRequestError {
  /** @param options.message says what is read instead, where that helps */
  constructor({ cause, message = 'Unsupported Media Type' }: { cause?: unknown; message?: string } = {}) {
    super(message, { status: 415, cause });
  }
}

/** A request body over its limit. One file over its limit is a {@link ValidationError}. */
export class PayloadTooLargeError extends ServiceError {
  readonly code = 'PAYLOAD_TOO_LARGE';
  readonly status = 413;

  constructor(detail?: string) {
    super('The POST data is too large.', { detail });
  }
}

/** The sender of a body took too long, or stopped sending (RFC 9110 section 15.5.9). The connection is closed. */
export class RequestTimeoutError extends ServiceError {
  readonly code = 'REQUEST_TIMEOUT';
  readonly status = 408;

  constructor(detail: string) {
    super('Request Timeout', { detail, headers: { Connection: 'close' } });
  }
}

export class NotFoundError extends ServiceError {
  readonly code = 'NOT_FOUND';
  readonly status = 404;
}

/** Something that somebody else has changed since the caller has read it. */
export class ConflictError extends ServiceError {
  readonly code = 'CONFLICT';
  readonly status = 409;
}

/** Without TWO_FACTOR_SECRET there is no second factor. */
export class NoSecondFactorError extends NotFoundError {
  constructor() {
    super('Two factor authentication is not set up here.');
  }
}

/** Without PASSKEY_RP_ID there are no passkeys. */
export class NoPasskeysError extends NotFoundError {
  constructor() {
    super('Passkeys are not set up here.');
  }
}

export class MethodNotAllowedError extends ServiceError {
  readonly code = 'METHOD_NOT_ALLOWED';
  readonly status = 405;

  constructor(message: string, allowedMethod: string) {
    super(message, { headers: { Allow: allowedMethod } });
  }
}

/** The caller has used up its attempts for now (RFC 6585 section 4). */
export class TooManyAttemptsError extends ServiceError {
  readonly code = 'TOO_MANY_ATTEMPTS';
  readonly status = 429;

  /** @param window the number of attempts in the window and its end; undefined if the limit does not count attempts over time */
  constructor(
    readonly retryAfterSeconds: number,
    window?: { limit: number; resetEpochSeconds: number },
  ) {
    super('Too Many Attempts.', {
      headers: {
        'Retry-After': String(retryAfterSeconds),
        ...(window && {
          'X-RateLimit-Limit': String(window.limit),
          'X-RateLimit-Remaining': '0',
          'X-RateLimit-Reset': String(window.resetEpochSeconds),
        }),
      },
    });
  }

  override get extensions() {
    return { retryAfterSeconds: this.retryAfterSeconds };
  }
}

const RETRY_AFTER_SECONDS = 2;

/** The service is overloaded, or lacks something that it needs (the database, disk space). */
export class ServiceUnavailableError extends ServiceError {
  readonly code = 'SERVICE_UNAVAILABLE';
  readonly status = 503;

  constructor(detail: string, cause?: unknown) {
    super('Service Unavailable', { detail, cause, headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } });
  }

  override get extensions() {
    return { retryAfterSeconds: RETRY_AFTER_SECONDS };
  }
}

/** Replaces every error that is not a ServiceError: a fixed text for the caller, the cause for the log. */
export class UnexpectedError extends ServiceError {
  readonly code = 'INTERNAL_SERVER_ERROR';
  readonly status = 500;

  constructor(cause: unknown) {
    super('Server Error', { cause });
  }
}
