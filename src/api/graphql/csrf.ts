import type { Request, RequestHandler } from 'express';
import { BadRequestError } from '../../system/errors.ts';

/** Apollo's own list. A page of another site cannot send these headers without a preflight. It can send forms, texts and GETs. */
export const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const;

/**
 * Refuses a multipart request that a form of another site may have sent. Apollo checks the same, but only after the files would
 * have been written.
 * @throws BadRequestError
 */
export function requirePreflight(req: Request): void {
  if (!PREFLIGHT_HEADERS.some((name) => req.get(name))) {
    const names = PREFLIGHT_HEADERS.join(', ');
    throw new BadRequestError(`A multipart request must carry one of the headers ${names}.`);
  }
}

/** The values of Sec-Fetch-Site for a request of the user or of a page of this site. */
const OWN_SITES = ['none', 'same-origin'];

/**
 * Lets a GET pass Apollo's CSRF prevention, unless the browser says that a page of another site sent it (Sec-Fetch-Site of
 * Fetch Metadata, or Origin if that is missing). Clients may send GETs without any header (GraphQL over HTTP section 5.3).
 *
 * Such a GET is harmless: it can only be a query, there are no cookies, and a page cannot send `Authorization` without a
 * preflight. All other requests must pass Apollo's check.
 * OWASP Cross-Site Request Forgery Prevention Cheat Sheet, "Fetch Metadata headers"; ASVS 5.0 items 3.5.1 and 3.5.3.
 */
export const plainGet: RequestHandler = (req, _res, next) => {
  const site = req.get('Sec-Fetch-Site');
  const isOwn = site === undefined ? req.get('Origin') === undefined : OWN_SITES.includes(site);
  if (req.method === 'GET' && isOwn) {
    req.headers[PREFLIGHT_HEADERS[0]] = 'not another site';
  }
  next();
};
