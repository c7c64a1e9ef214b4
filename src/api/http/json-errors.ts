import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { ServiceError } from '../../system/errors.ts';
import { MethodNotAllowedError, NotFoundError, ValidationError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { logServiceError, toServiceError } from './to-service-error.ts';
import { abandon } from './uploads/multipart-body.ts';

/**
 * Answers with an error in Laravel's JSON shape.
 * @param nameOf how the caller spells a field
 */
function sendJsonError(res: Response, error: ServiceError, nameOf = (field: string) => field): void {
  res.status(error.status).set(error.headers);
  if (!(error instanceof ValidationError)) {
    return void res.json({ message: error.message });
  }
  const errors = Object.entries(error.errors).map(([field, texts]) => [nameOf(field), texts]);
  res.json({ message: error.message, errors: Object.fromEntries(errors) });
}

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

const routeOf = (req: Request): string => `${req.baseUrl}${req.path}`.replace(/^\/|\/$/g, '') || '/';

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
