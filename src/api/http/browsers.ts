import cors from 'cors';
import type { RequestHandler } from 'express';
import { CrossSiteFormError } from '../../system/errors.ts';

const STRICT_TRANSPORT_SECURITY = 'max-age=31536000; includeSubDomains';

/**
 * The value of the header that makes browsers insist on https (OWASP ASVS 5.0 3.4.1).
 * @param baseUrl BASE_URL
 * @returns undefined if callers use http
 */
export const strictTransportSecurity = (baseUrl: string | undefined): string | undefined =>
  baseUrl !== undefined && new URL(baseUrl).protocol === 'https:' ? STRICT_TRANSPORT_SECURITY : undefined;

/** What helmet sets on each response. tests/unit/http/security-headers.test.ts compares them with its current version. */
const HEADERS: readonly [name: string, value: string][] = [
  ['Content-Security-Policy', "default-src 'none';frame-ancestors 'none'"],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Origin-Agent-Cluster', '?1'],
  ['Referrer-Policy', 'no-referrer'],
  ['Strict-Transport-Security', STRICT_TRANSPORT_SECURITY],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-DNS-Prefetch-Control', 'off'],
  ['X-Download-Options', 'noopen'],
  ['X-Frame-Options', 'DENY'],
  ['X-Permitted-Cross-Domain-Policies', 'none'],
  ['X-XSS-Protection', '0'],
  // Answers carry tokens and accounts; Laravel's `no-cache, private` would let a browser write them to its disk.
  ['Cache-Control', 'no-store'],
];

/**
 * Headers of every answer, including refusals. Answers are data: no browser may run, frame, sniff or keep them (OWASP ASVS
 * 5.0 3.4, 14.3.2). They are set first, so that a handler for pages or documents can replace them.
 * @param baseUrl BASE_URL
 */
export function securityHeaders(baseUrl: string | undefined): RequestHandler {
  const isStrict = strictTransportSecurity(baseUrl) !== undefined;
  const headers = HEADERS.filter(([name]) => isStrict || name !== 'Strict-Transport-Security');
  return (_req, res, next) => {
    for (const [name, value] of headers) {
      res.setHeader(name, value);
    }
    next();
  };
}

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
 * Lets the pages of some origins call from scripts (CORS_ORIGINS; the Fetch standard, section 3.3), with any request headers: their
 * libraries add some, and there are no cookies. Requests from other origins are answered as usual, but without the header that
 * would let a script read the answer.
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

/** Values of Fetch Metadata for a request that the user or a page of the gateway's own origin made. */
const OWN_SITES = ['none', 'same-origin'];

/**
 * Refuses forms that a page of another site sends (OWASP ASVS 5.0 item 3.5.1). Browsers send JSON to another origin only
 * after a preflight (CORS_ORIGINS), but forms and plain texts without one. There are no cookies to misuse, but such a form
 * would act from the address of the page's visitor: it would use up their limits and become a known place.
 *
 * Clients other than browsers send neither header, and pass. A browser without Fetch Metadata is judged by `Origin`.
 * @param isAllowed says whether pages of an origin may send forms: the gateway's own, and CORS_ORIGINS
 * @throws CrossSiteFormError before any of the body is read
 */
export const refuseCrossSiteForms =
  (isAllowed: (origin: string) => boolean): RequestHandler =>
  (req, _res, next) => {
    const origin = req.get('Origin');
    const site = req.get('Sec-Fetch-Site');
    const isOwn = site === undefined ? origin === undefined : OWN_SITES.includes(site);
    const asksFirst = Boolean(req.is('application/json'));
    if (isOwn || asksFirst || (origin !== undefined && isAllowed(origin))) {
      return next();
    }
    throw new CrossSiteFormError();
  };
