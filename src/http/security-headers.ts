import type { RequestHandler } from 'express';
import helmet from 'helmet';

/**
 * Headers of every answer, refusals included. What is sent is data: no browser may run, frame, sniff or keep it (OWASP
 * ASVS 5.0 3.4, 14.3.2). They are set first, so that whoever answers with something else, such as a page or a document,
 * sets its own over them.
 * @param baseUrl BASE_URL; browsers are told to insist on https only where that is what they are given
 */
export function securityHeaders(baseUrl: string | undefined): RequestHandler[] {
  const isHttps = baseUrl !== undefined && new URL(baseUrl).protocol === 'https:';
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isHttps,
  });
  return [setHeaders, notStored];
}

/** Answers carry tokens and accounts; Laravel's `no-cache, private` would let a browser write them to its disk. */
const notStored: RequestHandler = (_req, res, next) => {
  res.set('Cache-Control', 'no-store');
  next();
};
