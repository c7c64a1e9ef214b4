import type { FetchRequest, GuardedRequest, NodeRequest } from './types.ts';

/**
 * The access token of `Authorization: Bearer <token>` (RFC 6750 section 2.1; the scheme in any case, RFC 9110 section 11.1).
 * @returns undefined if there is no such header, or more than one: a proxy may have used the other one
 */
export function bearerOf(request: GuardedRequest): string | undefined {
  return /^Bearer +(\S+) *$/i.exec(authorizationOf(request))?.[1];
}

/** False only for a request without the header `Authorization`. */
export const hasCredentials = (request: GuardedRequest): boolean =>
  isFetch(request)
    ? request.headers.get('authorization') !== null
    : ownAuthorization(request.headers) !== undefined;

/** Not what a polluted `Object.prototype` gives to requests without the header. */
const ownAuthorization = (headers: NodeRequest['headers']): string | undefined =>
  Object.hasOwn(headers, 'authorization') ? headers.authorization : undefined;

function authorizationOf(request: GuardedRequest): string {
  if (isFetch(request)) {
    // It joins several headers with a comma and a blank, so they are not the header of one token.
    return request.headers.get('authorization') ?? '';
  }
  const { headers } = request;
  const { rawHeaders = [] } = 'raw' in request ? request.raw : request;
  // Names and values take turns. Node.js keeps one of several headers in `headers`, and HTTP/2 has no headersDistinct.
  const sent = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'authorization');
  return sent.length > 1 ? '' : (ownAuthorization(headers) ?? '');
}

const isFetch = (request: GuardedRequest): request is FetchRequest =>
  'get' in request.headers && typeof request.headers.get === 'function';
