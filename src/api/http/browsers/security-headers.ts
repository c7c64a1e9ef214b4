import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** The default of helmet. */
const SECONDS_OF_A_YEAR = 31_536_000;

/**
 * The value of the header that makes browsers insist on https (OWASP ASVS 5.0 3.4.1).
 * @param baseUrl BASE_URL
 * @returns undefined if callers use http
 */
export const strictTransportSecurity = (baseUrl: string | undefined): string | undefined =>
  baseUrl !== undefined && new URL(baseUrl).protocol === 'https:'
    ? `max-age=${SECONDS_OF_A_YEAR}; includeSubDomains`
    : undefined;

/**
 * Headers of every answer, including refusals. Answers are data: no browser may run, frame, sniff or keep them (OWASP ASVS
 * 5.0 3.4, 14.3.2). They are set first, so that a handler for pages or documents can replace them.
 * @param baseUrl BASE_URL
 */
export function securityHeaders(baseUrl: string | undefined): RequestHandler {
  const headers = headersOf(
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
      xFrameOptions: { action: 'deny' },
      strictTransportSecurity: strictTransportSecurity(baseUrl) !== undefined,
    }),
  );
  // Answers carry tokens and accounts; Laravel's `no-cache, private` would let a browser write them to its disk.
  headers.set('Cache-Control', 'no-store');
  return (_req, res, next) => {
    for (const [name, value] of headers) {
      res.setHeader(name, value);
    }
    next();
  };
}

/** The headers that helmet sets for every request. They are always the same, and to compute them takes twelve functions. */
function headersOf(setHeaders: ReturnType<typeof helmet>): Map<string, string> {
  const headers = new Map<string, string>();
  const recorder = {
    setHeader: (name: string, value: string) => headers.set(name, value),
    removeHeader: (name: string) => headers.delete(name),
  };
  // Of an answer, helmet uses nothing else, and of a request nothing.
  setHeaders({} as IncomingMessage, recorder as unknown as ServerResponse, () => {});
  return headers;
}
