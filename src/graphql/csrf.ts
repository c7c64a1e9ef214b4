import type { RequestHandler } from 'express';

/**
 * Apollo's own list: a page of another site cannot send these headers without a preflight, whereas it can send forms,
 * texts and GETs.
 */
export const PREFLIGHT_HEADERS = ['apollo-require-preflight', 'x-apollo-operation-name'] as const;

/** Fetch Metadata's words for a request that the user or a page of this very site has made. */
const OWN_SITES = ['none', 'same-origin'];

/**
 * Lets a GET through Apollo's CSRF prevention that no browser says another site's page has sent (Fetch Metadata's
 * Sec-Fetch-Site; where that is missing, Origin). GraphQL over HTTP section 5.3 has clients send GETs without any header.
 *
 * Such a GET gives nobody what they do not have: it can only be a query, there are no cookies, and a page cannot send
 * `Authorization` without a preflight. Everything else must pass Apollo's check as it is.
 * OWASP Cross-Site Request Forgery Prevention Cheat Sheet, "Fetch Metadata headers"; ASVS 5.0 items 3.5.1 and 3.5.3.
 */
export const plainGet: RequestHandler = (req, _res, next) => {
  const site = req.get('Sec-Fetch-Site');
  const isOwn = site === undefined ? req.get('Origin') === undefined : OWN_SITES.includes(site);
  if (req.method === 'GET' && isOwn) req.headers[PREFLIGHT_HEADERS[0]] = 'not another site';
  next();
};
