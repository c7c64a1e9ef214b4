import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { AuthService } from '../../auth/auth-service.ts';
import type { Verifications } from '../../auth/reviews/reviews.ts';
import type { ServiceAuthentication } from '../../auth/service-authentication.ts';
import { BadRequestError, UnsupportedMediaTypeError } from '../../system/errors/errors.ts';
import type { ServiceError } from '../../system/errors/service-error.ts';
import type { Logger } from '../../system/log.ts';
import { type BodyParts, bufferedBody } from '../http/bodies/buffered-body.ts';
import { errorHandler, onlyMethod } from '../http/json-errors.ts';
import { basicCredentialsOf } from '../http/requests/basic-credentials.ts';
import { callerOf } from '../http/requests/request-context.ts';
import { operation, recordOf, through } from '../http/requests/request-record.ts';
import { presentIntrospection } from './presenters.ts';

interface IntrospectionParts {
  auth: AuthService;
  services: ServiceAuthentication;
  verifications: Verifications;
  /** The issuer of the tokens. */
  baseUrl(): string;
  bodies: BodyParts;
  log: Logger;
}

const FORM = 'application/x-www-form-urlencoded';

/** Token introspection (RFC 7662): a service behind the gateway asks whose token it has received. */
export function introspectionRoutes({
  auth,
  services,
  verifications,
  baseUrl,
  bodies,
  log,
}: IntrospectionParts): Router {
  const router = Router({ caseSensitive: true, strict: false });
  const parse = (body: Buffer) => new URLSearchParams(body.toString());
  router
    .route('/oauth/introspect')
    .all(through('introspection'), operation('introspect'), onlyMethod('POST'))
    .post(authenticate(services), bufferedBody({ types: [FORM], parse, ...bodies }), async (req, res) => {
      const caller = callerOf(req, tokenOf(req));
      const session = await auth.findSession(caller);
      const verification = session && (await verifications.statusOf(session.account, caller));
      res.json(presentIntrospection(session, verification, baseUrl()));
    });
  router.use(errorHandler(log, sendOAuthError));
  return router;
}

/** Comes before the body, so that a stranger's body is not read. */
const authenticate =
  (services: ServiceAuthentication): RequestHandler =>
  async (req, _res, next) => {
    recordOf(req).service = await services.authenticate(basicCredentialsOf(req), callerOf(req));
    next();
  };

/**
 * The token that the service asks about (RFC 7662 section 2.1).
 * @throws BadRequestError, UnsupportedMediaTypeError
 */
function tokenOf(req: Request): string {
  // Proxies write the query to their logs.
  if ('token' in req.query) {
    throw new BadRequestError('The parameter token must be in the body, not in the query.');
  }
  if (req.is(FORM) === false) {
    throw new UnsupportedMediaTypeError();
  }
  const sent: unknown = req.body;
  const [token = '', ...others] = sent instanceof URLSearchParams ? sent.getAll('token') : [];
  if (others.length > 0) {
    throw new BadRequestError('The parameter token must be sent once.');
  }
  if (token === '') {
    throw new BadRequestError('The parameter token is missing.');
  }
  return token;
}

const OAUTH_CODES: Readonly<Record<number, string>> = { 400: 'invalid_request', 401: 'invalid_client' };

/** Answers an error in OAuth's shape (RFC 6749 section 5.2), and one that OAuth has no code for in ours. */
function sendOAuthError(res: Response, { status, headers, message }: ServiceError): void {
  const error = OAUTH_CODES[status];
  res.status(status).set(headers);
  res.json(error === undefined ? { message } : { error, error_description: message });
}
