import { type Request, type Response, Router } from 'express';
import { html } from '../../system/output-encoding.ts';
import { onlyMethod } from '../http/error-responses.ts';
import type { PageBrand } from './brand.ts';
import { sendAsset } from './pages.routes.ts';
import { readManifest, shell, strictPolicy } from './shell.ts';

/** A script that runs in the page can do what its operator can. Documents are drawn in workers, which have a policy of their own (`pages.routes.ts`). */
const POLICY = strictPolicy("worker-src 'self'", "img-src 'self' data:");

/**
 * The page of operators, with the files that it loads. It is there with PAGES=off, too.
 * @param erasureGraceMillis how long a closed account waits for its erasure, for the page to say
 * @throws Error if the pages are not built
 */
export function consoleRoutes(erasureGraceMillis: number, brand: PageBrand): Router {
  readManifest();
  const router = Router({ strict: true, caseSensitive: true });
  const body = html`<div id="console" data-erasure-days="${erasureGraceMillis / 86_400_000}"><main>Loading …</main></div>`;
  router.all('/console', onlyMethod('GET, HEAD'), (_req: Request, res: Response) => {
    res.set('Content-Security-Policy', POLICY);
    const settings = { name: brand.name };
    res.type('html').send(shell({ title: 'Console', brand, entry: 'console/main.tsx', body, settings }));
  });
  router.use(sendAsset);
  return router;
}
