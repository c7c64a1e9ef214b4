import { type RequestHandler, Router } from 'express';
import type { Admitted, ForwardAuthentication, Requirements } from '../../auth/forward-authentication.ts';
import {
  ASSURANCE_LEVELS,
  type AssuranceLevel,
  type AssuranceRequirement,
  levelOf,
} from '../../auth/tokens/assurance.ts';
import { PUBLIC_ROLES } from '../../stores/accounts.ts';
import { BadRequestError, UnauthenticatedError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { jsonErrorHandler, methodNotAllowed } from '../http/error-responses.ts';
import { callerOf } from '../http/request-caller.ts';
import { operation, through } from '../http/request-record.ts';
import { isScopeToken, scopeOf } from './scope.ts';

interface ForwardAuthParts {
  forwardAuthentication: ForwardAuthentication;
  log: Logger;
}

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

const queryOf = (url: string): string => url.replace(/^[^?]*/, '');

const KNOWN_ROLES: readonly string[] = Object.values(PUBLIC_ROLES);

/**
 * Reads requirements in the form of a query: `role=doctor&ability=update&verified=true`. An unknown one is an error, because
 * ignoring it would let too many requests through.
 * @throws BadRequestError
 */
function readRequirements(query: string): Requirements {
  const roles: string[] = [];
  const abilities: string[] = [];
  let [isVerified, hasProvenEmail] = [false, false];
  const assurance: AssuranceRequirement = {};
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'role' && KNOWN_ROLES.includes(value)) {
      roles.push(value);
    } else if (name === 'ability' && isScopeToken(value)) {
      abilities.push(value);
    } else if (name === 'verified' && value === 'true') {
      isVerified = true;
    } else if (name === 'email_verified' && value === 'true') {
      hasProvenEmail = true;
    } else if (name === 'acr' && assurance.acr === undefined && isLevel(value)) {
      assurance.acr = value;
    } else if (name === 'max_age' && assurance.maxAgeSeconds === undefined && MAX_AGE.test(value)) {
      assurance.maxAgeSeconds = Number(value);
    } else {
      throw new BadRequestError(
        `Only role (${KNOWN_ROLES.join(', ')}), ability, verified=true, email_verified=true, acr (${ASSURANCE_LEVELS.join(', ')}) and max_age (seconds, from 1) can be required.`,
      );
    }
  }
  return { roles, abilities, isVerified, hasProvenEmail, assurance };
}

/** Seconds, from 1, at most about 31 years. */
const MAX_AGE = /^[1-9]\d{0,8}$/;

const isLevel = (value: string): value is AssuranceLevel => ASSURANCE_LEVELS.some((level) => level === value);

/** An id from another program may contain anything. */
const SAFE_ID = /^[\x21-\x7e]+$/;

/**
 * The headers that a proxy passes on with the request.
 * @throws UnauthenticatedError for an account whose id does not fit into a header
 */
function presentHeaders({ session, verification }: Admitted) {
  const { id, role } = session.account;
  if (!SAFE_ID.test(String(id))) {
    throw new UnauthenticatedError();
  }
  return {
    'X-Auth-Account': String(id),
    'X-Auth-Role': role,
    'X-Auth-Abilities': scopeOf(session),
    // Empty, not missing: Caddy would pass the name of its variable on instead.
    'X-Auth-Verification': verification ?? '',
    'X-Auth-Acr': levelOf(session.token) ?? '',
  };
}
