import { type Request, type Response, Router } from 'express';
import { onlyMethod } from '../http/error-responses.ts';
import { sendAsset } from './pages.routes.ts';
import { readManifest, shell } from './shell.ts';

/**
 * Only this server, nothing inline, no form of the browser and no frame around the page (CSP Level 3; OWASP ASVS 3.4.3 and 3.4.6).
 * A script that runs in the page can do what its operator can.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // Documents are drawn in workers, which have a policy of their own (`pages.routes.ts`).
  "worker-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * The page of operators, with the files that it loads. It is there with PAGES=off, too.
 * @throws Error if the pages are not built
 */
export function consoleRoutes(): Router {
  readManifest();
  const router = Router({ strict: true, caseSensitive: true });
  router.all('/console', onlyMethod('GET, HEAD'), sendConsole);
  router.use(sendAsset);
  return router;
}

function sendConsole(_req: Request, res: Response): void {
  res.set('Content-Security-Policy', POLICY);
  const body = '<div id="console"><main>Loading …</main></div>';
  res.type('html').send(shell({ title: 'Console · auth-gateway', entry: 'console/main.tsx', body }));
}
