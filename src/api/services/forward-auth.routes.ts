import { type RequestHandler, Router } from 'express';
import type { ForwardAuthentication } from '../../auth/forward-authentication.ts';
import type { Logger } from '../../system/log.ts';
import { jsonErrorHandler, methodNotAllowed } from '../http/json-errors.ts';
import { callerOf } from '../http/requests/request-context.ts';
import { operation, through } from '../http/requests/request-record.ts';
import { presentHeaders } from './presenters.ts';
import { readRequirements } from './requirements.ts';

interface ForwardAuthParts {
  forwardAuthentication: ForwardAuthentication;
  log: Logger;
}

const queryOf = (url: string): string => url.replace(/^[^?]*/, '');

const PATH = '/forward-auth';
/** Envoy appends the path and the query of its caller, keeps the method, and accepts only 200. */
const ENVOY_PATH = /^\/forward-auth\/envoy(?:\/|$)/;
/** The header in which Envoy sends its requirements, in the form of a query. */
const REQUIREMENTS = 'X-Forward-Auth';

/**
 * Forward authentication: a proxy asks about each request before it passes it on. A 2xx lets the request through, with
 * headers that say whose it is. Everything else refuses it.
 */
export function forwardAuthRoutes({ forwardAuthentication, log }: ForwardAuthParts): Router {
  const router = Router({ caseSensitive: true, strict: false });
  const begin = [through('introspection'), operation('forward-auth')];
  const check =
    (status: number, isEnvoy: boolean): RequestHandler =>
    async (req, res) => {
      const query = isEnvoy ? (req.get(REQUIREMENTS) ?? '') : queryOf(req.originalUrl);
      // First, so that a wrong recipe fails at its first request.
      const required = readRequirements(query);
      const admitted = await forwardAuthentication.admit(required, callerOf(req));
      res.status(status).set(presentHeaders(admitted)).end();
    };
  router
    .route(PATH)
    .all(...begin)
    .get(check(204, false))
    // OPTIONS, too: some proxies can keep the method of their caller, and would take a 200 for a pass.
    .all(methodNotAllowed('GET, HEAD'));
  router.all(ENVOY_PATH, ...begin, check(200, true));
  router.use(jsonErrorHandler(log));
  return router;
}
