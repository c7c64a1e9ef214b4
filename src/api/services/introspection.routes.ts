import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { VerificationNow, Verifications } from '../../auth/reviews/reviews.ts';
import type { ServiceAuthentication } from '../../auth/service-authentication.ts';
import type { FoundToken } from '../../auth/tokens/access-tokens.ts';
import { levelOf } from '../../auth/tokens/assurance.ts';
import type { Sessions } from '../../auth/tokens/sessions.ts';
import { secondsOf } from '../../system/clock.ts';
import { BadRequestError, type ServiceError, UnsupportedMediaTypeError } from '../../system/errors.ts';
import type { Logger } from '../../system/log.ts';
import { type BodyParts, bufferedBody } from '../http/bodies/buffered-body.ts';
import { requireCharset, type TextCharset, URLENCODED_TYPE } from '../http/bodies/media-types.ts';
import { errorHandler, onlyMethod } from '../http/error-responses.ts';
import { basicCredentialsOf, callerOf } from '../http/request-caller.ts';
import { operation, recordOf, through } from '../http/request-record.ts';
import { scopeOf } from './scope.ts';

interface IntrospectionParts {
  sessions: Sessions;
  serviceAuthentication: ServiceAuthentication;
  verifications: Verifications;
  /** The issuer of the tokens. */
  baseUrl(): string;
  bodies: BodyParts;
  log: Logger;
}

/** Token introspection (RFC 7662): a service behind the gateway asks whose token it has received. */
export function introspectionRoutes({
  sessions,
  serviceAuthentication,
  verifications,
  baseUrl,
  bodies,
  log,
}: IntrospectionParts): Router {
  const router = Router({ caseSensitive: true, strict: false });
  const parse = (body: Buffer, charset: TextCharset) => {
    requireCharset(body, charset);
    return new URLSearchParams(body.toString());
  };
  router
    .route(INTROSPECTION_PATH)
    .all(through('introspection'), operation('introspect'), onlyMethod('POST'))
    .post(
      authenticateByHeader(serviceAuthentication),
      bufferedBody({ types: [URLENCODED_TYPE], parse, ...bodies }),
      authenticateByBody(serviceAuthentication),
      async (req, res) => {
        const caller = callerOf(req, tokenOf(req));
        const session = await sessions.find(caller);
        const verification = session && (await verifications.find(session.account, caller));
        res.json(presentIntrospection(session, verification, baseUrl()));
      },
    );
  router.use(errorHandler(log, sendOAuthError));
  return router;
}

/** Token introspection (RFC 7662 section 2). */
const INTROSPECTION_PATH = '/oauth/introspect';

/** How a service authenticates itself (RFC 6749 section 2.3.1), as OAuth names it. */
const AUTH_METHODS = ['client_secret_basic', 'client_secret_post'];

/** Comes before the body, so that the body of a service with a wrong secret is not read. */
const authenticateByHeader =
  (services: ServiceAuthentication): RequestHandler =>
  async (req, _res, next) => {
    if (req.headersDistinct.authorization) {
      recordOf(req).service = await services.authenticate(basicCredentialsOf(req), callerOf(req));
    }
    next();
  };

/** @throws (to the error handler) BadRequestError for a secret in the header and in the body */
const authenticateByBody =
  (services: ServiceAuthentication): RequestHandler =>
  async (req, _res, next) => {
    const [ids, secrets] = ['client_id', 'client_secret'].map((name) => fieldsOf(req, name));
    const record = recordOf(req);
    if (record.service === undefined) {
      const [[id, ...moreIds], [secret, ...moreSecrets]] = [ids ?? [], secrets ?? []];
      const isOnce = id !== undefined && secret !== undefined && moreIds.length + moreSecrets.length === 0;
      record.service = await services.authenticate(isOnce ? [{ id, secret }] : [], callerOf(req));
    } else if (secrets?.length) {
      throw new BadRequestError('The service must authenticate itself in one way.');
    }
    next();
  };

/** The values of a field of the form; none for a body that is no form. */
const fieldsOf = ({ body }: Request, name: string): string[] =>
  body instanceof URLSearchParams ? body.getAll(name) : [];

/**
 * The token that the service asks about (RFC 7662 section 2.1).
 * @throws BadRequestError, UnsupportedMediaTypeError
 */
function tokenOf(req: Request): string {
  // Proxies write the query to their logs.
  if ('token' in req.query) {
    throw new BadRequestError('The parameter token must be in the body, not in the query.');
  }
  if (req.is(URLENCODED_TYPE) === false) {
    throw new UnsupportedMediaTypeError();
  }
  const [token = '', ...others] = fieldsOf(req, 'token');
  if (others.length > 0) {
    throw new BadRequestError('The parameter token must be sent once.');
  }
  if (token === '') {
    throw new BadRequestError('The parameter token is missing.');
  }
  return token;
}

/**
 * The answer to an introspection (RFC 7662 section 2.2).
 * @param session undefined if the token is not valid. The answer does not say why
 * @param verification of a doctor; undefined for other accounts
 * @param issuer BASE_URL
 */
function presentIntrospection(
  session: FoundToken | undefined,
  verification: VerificationNow | undefined,
  issuer: string,
) {
  if (!session) {
    return { active: false };
  }
  const { account, token } = session;
  return {
    active: true,
    sub: String(account.id),
    iss: issuer,
    jti: token._id,
    token_type: 'Bearer',
    scope: scopeOf(session),
    // An imported token may have no time of issue.
    ...(token.createdAt.getTime() > 0 && { iat: secondsOf(token.createdAt) }),
    ...(token.expiresAt && { exp: secondsOf(token.expiresAt) }),
    role: account.role,
    ...assuranceOf(token),
    email_verified: account.emailVerifiedAt !== null,
    ...(verification && { verification: verification.status }),
    ...(verification?.until && { verified_until: secondsOf(verification.until) }),
    name: account.name,
  };
}

/** How the owner of a token was proven (RFC 9470 section 6.2); nothing for a token that claims nothing. */
function assuranceOf(token: FoundToken['token']) {
  const acr = levelOf(token);
  const { amr, authTime } = token;
  return acr && { acr, amr, ...(authTime && { auth_time: secondsOf(authTime) }) };
}

const OAUTH_CODES: Readonly<Record<number, string>> = { 400: 'invalid_request', 401: 'invalid_client' };

/** Answers an error in OAuth's shape (RFC 6749 section 5.2), and one that OAuth has no code for in ours. */
function sendOAuthError(res: Response, { status, headers, message }: ServiceError): void {
  const error = OAUTH_CODES[status];
  res.status(status).set(headers);
  res.json(error === undefined ? { message } : { error, error_description: message });
}

/** Where OAuth's libraries look for the metadata of a server (RFC 8414 section 3). */
const METADATA_PATH = '/.well-known/oauth-authorization-server';

/**
 * What a library of a service needs to ask about tokens (RFC 8414). There is no authorization endpoint, so there are no response
 * types (erratum 7793).
 * @param baseUrl BASE_URL, the issuer
 */
export function metadataRoutes(baseUrl: () => string): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.all(METADATA_PATH, onlyMethod('GET, HEAD'), (_req, res) => {
    const issuer = baseUrl();
    res.json({
      issuer,
      introspection_endpoint: `${issuer}${INTROSPECTION_PATH}`,
      introspection_endpoint_auth_methods_supported: AUTH_METHODS,
    });
  });
  return router;
}
