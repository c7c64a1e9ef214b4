import { Router } from 'express';
import { onlyMethod } from '../http/error-responses.ts';
import { AUTH_METHODS, INTROSPECTION_PATH } from './introspection.routes.ts';

/** Where OAuth's libraries look for the metadata of a server (RFC 8414 section 3). */
const PATH = '/.well-known/oauth-authorization-server';

/**
 * What a library of a service needs to ask about tokens (RFC 8414). There is no authorization endpoint, so there are no response
 * types (erratum 7793).
 * @param baseUrl BASE_URL, the issuer
 */
export function metadataRoutes(baseUrl: () => string): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.all(PATH, onlyMethod('GET, HEAD'), (_req, res) => {
    const issuer = baseUrl();
    res.json({
      issuer,
      introspection_endpoint: `${issuer}${INTROSPECTION_PATH}`,
      introspection_endpoint_auth_methods_supported: AUTH_METHODS,
    });
  });
  return router;
}
