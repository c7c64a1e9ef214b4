import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** helmet's own. */
const SECONDS_OF_A_YEAR = 31_536_000;

/**
 * The header that has browsers insist on https (OWASP ASVS 5.0 3.4.1), only where that is what they are given.
 * @param baseUrl BASE_URL
 * @returns undefined if callers come by http
 */
export const strictTransportSecurity = (baseUrl: string | undefined): string | undefined =>
  baseUrl !== undefined && new URL(baseUrl).protocol === 'https:'
    ? `max-age=${SECONDS_OF_A_YEAR}; includeSubDomains`
    : undefined;

/**
 * Headers of every answer, refusals included. What is sent is data: no browser may run, frame, sniff or keep it (OWASP
 * ASVS 5.0 3.4, 14.3.2). They are set first, so that whoever answers with something else, such as a page or a document,
 * sets its own over them.
 * @param baseUrl BASE_URL
 */
export function securityHeaders(baseUrl: string | undefined): RequestHandler[] {
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: strictTransportSecurity(baseUrl) !== undefined,
  });
  return [setHeaders, notStored];
}

/** Answers carry tokens and accounts; Laravel's `no-cache, private` would let a browser write them to its disk. */
const notStored: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};
