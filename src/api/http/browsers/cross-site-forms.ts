import type { RequestHandler } from 'express';
import { CrossSiteFormError } from '../../../system/errors.ts';

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
