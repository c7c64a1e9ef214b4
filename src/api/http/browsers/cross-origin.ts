import cors from 'cors';
import type { RequestHandler } from 'express';

/** The request headers that pages may send in addition to the safelisted ones (Fetch standard, section 2.2.2). */
const REQUEST_HEADERS = [
  'Authorization',
  'Content-Type',
  'Apollo-Require-Preflight',
  'X-Apollo-Operation-Name',
  'X-Request-Id',
  'X-Requested-With',
  'Range',
  'If-None-Match',
];

/** The response headers that their scripts may read in addition to the safelisted ones. */
const RESPONSE_HEADERS = [
  'Retry-After',
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'WWW-Authenticate',
  'Content-Disposition',
  'Content-Range',
  'ETag',
];

const PREFLIGHT_SECONDS = 600;

/**
 * Lets the pages of some origins call from scripts (CORS_ORIGINS; the Fetch standard, section 3.3). Requests from other
 * origins are answered as usual, but without the header that would let a script read the answer.
 * @param origins as browsers send them; an empty list switches CORS off
 */
export function crossOrigin(origins: readonly string[]): RequestHandler[] {
  if (origins.length === 0) {
    return [];
  }
  const allowed = new Set<string | undefined>(origins);
  const setHeaders = cors({
    origin: (origin, decide) => decide(null, allowed.has(origin)),
    methods: ['GET', 'HEAD', 'POST', 'PUT'],
    allowedHeaders: REQUEST_HEADERS,
    exposedHeaders: RESPONSE_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
  });
  return [varyByOrigin, setHeaders];
}

/** The answer to a foreign origin differs too, and a shared cache must not give it to an allowed one. */
const varyByOrigin: RequestHandler = (_req, res, next) => {
  res.vary('Origin');
  next();
};
