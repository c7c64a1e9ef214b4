import { type Request, type Response, Router } from 'express';
import { html } from '../../system/output-encoding.ts';
import { onlyMethod } from '../http/error-responses.ts';
import type { PageBrand } from './brand.ts';
import { sendAsset } from './pages.routes.ts';
import type { PeopleSettings } from './people-page-settings.ts';
import { readManifest, shell, strictPolicy } from './shell.ts';

/** The script shows pictures of its own as `blob:`: the documents that somebody has chosen, and the QR code of a new app. */
const POLICY = strictPolicy("img-src 'self' blob:");

/**
 * The pages where people sign up, log in and look after their account, with the files that they load. They are there with PAGES=off,
 * too.
 * @param settings asked for each page, because the address of the console may be known only after the port is open
 * @throws Error if the pages are not built
 */
export function peopleRoutes(settings: () => PeopleSettings, brand: PageBrand): Router {
  readManifest();
  const router = Router({ strict: true, caseSensitive: true });
  router.all('/people', onlyMethod('GET, HEAD'), (_req: Request, res: Response) => {
    res.set('Content-Security-Policy', POLICY);
    const body = html`<div id="people"></div>`;
    res.type('html').send(shell({ brand, entry: 'people/main.tsx', body, settings: settings() }));
  });
  router.use(sendAsset);
  return router;
}
