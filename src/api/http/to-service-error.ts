import type { Request } from 'express';
import { isDatabaseAway } from '../../database/database-errors.ts';
import {
  BadRequestError,
  NotFoundError,
  PayloadTooLargeError,
  ServiceError,
  ServiceUnavailableError,
  UnexpectedError,
  UnsupportedMediaTypeError,
} from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { systemErrorCode } from '../../system/system-errors.ts';
import { recordOf } from './requests/request-record.ts';

/** Too many open files or connections in this process or the system. That is temporary: callers hold connections and leave. */
const TOO_MANY_OPEN = ['EMFILE', 'ENFILE'];

/**
 * Turns any thrown value into an error that a caller may see. Both APIs use it for all their errors.
 */
export function toServiceError(error: unknown): ServiceError {
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
