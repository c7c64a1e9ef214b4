import { Router } from 'express';
import { ownVersion } from '../../system/own-package.ts';
import { onlyMethod } from './error-responses.ts';
import type { Health } from './health.ts';

/**
 * Health checks for operators, mounted at the root. They need no credentials, because they only show which parts work.
 *
 * `GET /healthz` is 200 if the process answers at all; without an answer, restart it. `GET /readyz` is 200, or 503 with a
 * cause for each dependency that does not work; until it is 200 again, send the process no requests. It also shows the
 * version, and whether the backups are made.
 */
export function healthRoutes(health: Health): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const version = ownVersion();
  const getOnly = onlyMethod('GET, HEAD');
  router.all('/healthz', getOnly, (_req, res) => {
    res.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  router.all('/readyz', getOnly, async (_req, res) => {
    const { isReady, checks } = await health.readiness();
    res
      .status(isReady ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status: isReady ? 'ready' : 'not ready', version, checks });
  });
  return router;
}
