import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { UnknownOutcome } from '../../auth/running-act.ts';
import { isDatabaseAway } from '../../database/database-errors.ts';
import { STATUS_CODES } from '../../patches/node-http.ts';
import {
  BadRequestError,
  ChallengeError,
  ForbiddenError,
  InvalidPasskeyError,
  MethodNotAllowedError,
  NotFoundError,
  PayloadTooLargeError,
  ServiceError,
  ServiceUnavailableError,
  TwoFactorRequiredError,
  UnexpectedError,
  UnsupportedMediaTypeError,
  ValidationError,
} from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { systemErrorCode } from '../../system/system-errors.ts';
import { abandon } from './bodies/unread-body.ts';
import { recordOf } from './request-record.ts';

/**
 * Answers any thrown value, and logs it if operators must know it.
 * @param send answers in the shape of an API
 */
export const errorHandler =
  (log: Logger, send: (res: Response, error: ServiceError) => void): ErrorRequestHandler =>
  (thrown: unknown, req, res, _next) => {
    const error = toServiceError(thrown);
    logServiceError(log, req, error);
    // The headers are sent, so the error can only be shown by cutting the connection. Express would also write to stderr.
    if (res.headersSent) {
      return void res.destroy();
    }
    abandon(req);
    send(res, error);
  };

/** The last error handler of the app, and of every API that has no error shape of its own. */
export const jsonErrorHandler = (log: Logger, nameOf?: (field: string) => string): ErrorRequestHandler =>
  errorHandler(log, (res, error) => sendJsonError(res, error, nameOf));

/**
 * Answers with an error in Laravel's JSON shape, or as problem details.
 * @param nameOf how the caller spells a field
 */
function sendJsonError(res: Response, error: ServiceError, nameOf = (field: string) => field): void {
  res.status(error.status).set(error.headers);
  if (wantsProblem(res.req)) {
    return void res.type(PROBLEM_TYPE).json({ ...presentProblem(error, nameOf), ...othersOf(error) });
  }
  if (!(error instanceof ValidationError)) {
    return void res.json({ message: error.message });
  }
  const errors = Object.entries(error.errors).map(([field, texts]) => [nameOf(field), texts]);
  res.json({ message: error.message, errors: Object.fromEntries(errors), ...othersOf(error) });
}

/** What some errors have beside their texts. */
const othersOf = (error: ServiceError) => ({
  ...(error instanceof ChallengeError && presentChallenge(error)),
  ...(error instanceof InvalidPasskeyError && error.isUnknown && { unknown_credential: true }),
});

/** What a login has in place of a token. */
function presentChallenge(error: ChallengeError) {
  const { challenge, expiresAt } = error.facts;
  const lacks =
    error instanceof TwoFactorRequiredError
      ? { two_factor: true, challenge, methods: error.methods }
      : { two_factor_setup: true, challenge };
  return { ...lacks, expires_at: presentTime(expiresAt) };
}

/** A time as Laravel writes it: in UTC, with microseconds. */
export const presentTime = (time: Date): string => time.toISOString().replace('Z', '000Z');

/** Too many open files or connections in this process or the system. That is temporary: callers hold connections and leave. */
const TOO_MANY_OPEN = ['EMFILE', 'ENFILE'];

/** Turns any thrown value into an error that a caller may see. Both APIs use it for all their errors. */
export function toServiceError(error: unknown): ServiceError {
  if (error instanceof UnknownOutcome) {
    return Object.assign(toServiceError(error.cause), { isOutcomeUnknown: true });
  }
  if (error instanceof ServiceError) {
    return error;
  }
  if (isDatabaseAway(error)) {
    return new ServiceUnavailableError('the database does not answer', error);
  }
  const isTooManyOpen = TOO_MANY_OPEN.includes(systemErrorCode(error) ?? '');
  if (isTooManyOpen) {
    return new ServiceUnavailableError('too many files and connections are open', error);
  }
  return fromHttpError(error) ?? new UnexpectedError(error);
}

/** Errors of body-parser and the router (http-errors) are the caller's fault. The answer has our texts instead of theirs. */
function fromHttpError(error: unknown): ServiceError | undefined {
  if (!(error instanceof Error && 'status' in error)) {
    return undefined;
  }
  const { status } = error;
  if (typeof status !== 'number' || status < 400 || status > 499) {
    return undefined;
  }
  if (status === 413) {
    return new PayloadTooLargeError(error.message);
  }
  if (status === 404) {
    return new NotFoundError('Not Found');
  }
  if (status === 415) {
    return new UnsupportedMediaTypeError({ cause: error });
  }
  return new BadRequestError('Bad Request', { cause: error });
}

/**
 * Logs an error that is not the caller's fault, with its cause and the request's id, and records it with the request.
 * @param failures how many errors of the request the line stands for
 */
export function logServiceError(log: Logger, req: Request, error: ServiceError, failures = 1): void {
  if (error.status < 500) {
    return;
  }
  const { detail, cause } = error;
  const record = recordOf(req);
  const line = {
    requestId: record.id,
    ...record.trace,
    ...(detail === undefined ? {} : { detail }),
    ...(failures === 1 ? {} : { failures }),
    err: cause ?? error,
  };
  if (error.status === 503) {
    // An operation of GraphQL may fail in several ways. A defect is what somebody must look at.
    record.failure ??= 'unavailable';
    log.warn(line, error.message);
  } else {
    record.failure = 'unexpected';
    log.error(line, 'unexpected error');
  }
}

/** Laravel's answer to a path that it does not know. */
export const notFound: RequestHandler = (req) => {
  throw new NotFoundError(`The route ${routeOf(req)} could not be found.`);
};

/**
 * Laravel's answer to a known path with another method.
 * @param allowed the methods of the path, in the form of the header `Allow`
 */
export const methodNotAllowed =
  (allowed: string): RequestHandler =>
  (req) => {
    const message = `The ${req.method} method is not supported for route ${routeOf(req)}. Supported methods: ${allowed}.`;
    throw new MethodNotAllowedError(message, allowed);
  };

const routeOf = (req: Request): string => `${req.baseUrl}${req.path}`.replace(/^\/|\/$/g, '') || '/';

/**
 * Refuses other methods of a known path. An OPTIONS request gets the allowed methods.
 * @param allowed the methods of the path, in the form of the header `Allow`
 */
export const onlyMethod =
  (allowed: string): RequestHandler =>
  (req, res, next) => {
    if (allowed.split(', ').includes(req.method)) {
      return next();
    }
    if (req.method === 'OPTIONS') {
      return void res.status(200).set('Allow', allowed).end();
    }
    return methodNotAllowed(allowed)(req, res, next);
  };

/*
 * Problem details (RFC 9457), for callers that make their own texts. They ask for them: the contract's answers have no more
 * members than Laravel's.
 */

const PROBLEM_TYPE = 'application/problem+json';

/** The type by its name, and not with `q=0`, which refuses it (RFC 9110 section 12.4.2). */
const NAMED = /application\/problem\+json(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

/** True for a caller that names the type of problem details. `*\/*` does not. */
const wantsProblem = (req: Request): boolean => NAMED.test(req.get('Accept') ?? '');

/**
 * An error as problem details. The type says nothing beyond the status (`about:blank`); `code` is that of the GraphQL API.
 * @param nameOf how the caller spells a field
 */
const presentProblem = (error: ServiceError, nameOf: (field: string) => string) => ({
  type: 'about:blank',
  title: STATUS_CODES[error.status] ?? 'Error',
  status: error.status,
  detail: error.message,
  code: error.code,
  ...(error instanceof ForbiddenError && { reason: error.reason }),
  ...(error instanceof ValidationError && { errors: presentRules(error, nameOf) }),
});

/** The broken rules of all fields, in the order of the texts. */
const presentRules = ({ fields }: ValidationError, nameOf: (field: string) => string) =>
  Object.entries(fields).flatMap(([field, rules]) =>
    rules.map(({ text, ...rule }) => ({ field: nameOf(field), ...rule, detail: text })),
  );
