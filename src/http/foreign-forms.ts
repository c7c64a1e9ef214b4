import type { RequestHandler } from 'express';
import { CrossSiteFormError } from '../errors.ts';

/** Fetch Metadata's words for a request that the user or a page of this very origin has made. */
const OWN_SITES = ['none', 'same-origin'];

/**
 * Refuses forms that a page of another site sends (OWASP ASVS 5.0 item 3.5.1). Browsers send JSON to another origin only
 * after asking whether they may (CORS_ORIGINS), but forms and plain texts without asking. There are no cookies to misuse;
 * but such a form would act, and be counted and remembered, from the address of whoever looks at the page.
 *
 * What is not a browser sends neither header, and passes. A browser without Fetch Metadata is judged by `Origin`.
 * @param isAllowed whether pages of an origin may send forms: the gateway's own, and CORS_ORIGINS
 * @throws CrossSiteFormError before any of the body is read
 */
export const refuseForeignForms =
  (isAllowed: (origin: string) => boolean): RequestHandler =>
  (req, _res, next) => {
    const origin = req.get('Origin');
    const site = req.get('Sec-Fetch-Site');
    const isOwn = site === undefined ? origin === undefined : OWN_SITES.includes(site);
    const asksFirst = Boolean(req.is('application/json'));
    if (isOwn || asksFirst || (origin !== undefined && isAllowed(origin))) return next();
    throw new CrossSiteFormError();
  };
