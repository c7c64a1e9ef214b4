import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { BadRequestError, type ServiceError, UnsupportedMediaTypeError } from '../../system/errors.ts';
import { presentServiceError } from './graphql-errors.ts';

/** Far more than any accepted media type needs, with its boundary (RFC 2046 section 5.1.1: up to 70 characters). */
const CONTENT_TYPE_MAX_CHARACTERS = 256;

/** The time of Apollo's media type parser grows with the square of a run of blanks: 0.4 s for a header of 15 KB. */
export const shortContentType: RequestHandler = (req, _res, next) => {
  if ((req.headers['content-type']?.length ?? 0) > CONTENT_TYPE_MAX_CHARACTERS) {
    throw new UnsupportedMediaTypeError();
  }
  next();
};

const JSON_TYPE = 'application/json; charset=utf-8';
const RESPONSE_JSON_TYPE = 'application/graphql-response+json; charset=utf-8';

/** The response types of the last values of Accept. Clients send the same few, and reading one takes as long as a look-up. */
const types = new LRUCache<string, string | false>({ max: 100 });

/**
 * The media type that Apollo will choose: the same list in the same order, compared by the same library. The header must be
 * short.
 */
function responseType(req: Request): string | false {
  const { accept } = req.headers;
  if (!accept) {
    return JSON_TYPE;
  }
  const known = types.get(accept);
  if (known !== undefined) {
    return known;
  }
  const chosen = req.accepts([JSON_TYPE, RESPONSE_JSON_TYPE]);
  types.set(accept, chosen);
  return chosen;
}

/** True if the response will have the newer type, whose HTTP status depends on the result of the operation. */
export const isResponseJson = (req: Request): boolean => responseType(req) === RESPONSE_JSON_TYPE;

/** Ten times what browsers send. Media types are compared several times for a request: 0.1 s for a header of 15 KB. */
const ACCEPT_MAX_CHARACTERS = 1024;

const isShort = (req: Request): boolean => (req.headers.accept?.length ?? 0) <= ACCEPT_MAX_CHARACTERS;

/** Apollo Server prefers a type of its own to both of these, if the sender does. */
const APOLLO_TYPE = /callbackSpec/i;

/** The media type of the response; undefined if there is none, or Apollo Server knows another. */
export function usualResponseType(req: Request): string | undefined {
  const isUsual = isShort(req) && !APOLLO_TYPE.test(req.headers.accept ?? '');
  return (isUsual && responseType(req)) || undefined;
}

/**
 * Rejects a request whose sender accepts neither type of response. Apollo does this only after it has run the operation: the
 * account would exist, and its token would be lost. GraphQL over HTTP section 6.1.
 */
export const acceptable: RequestHandler = (req, _res, next) => {
  if (isShort(req) && responseType(req) !== false) {
    return next();
  }
  throw new BadRequestError('The response is application/json or application/graphql-response+json.', {
    status: 406,
  });
};

/**
 * Answers errors that happen before Apollo runs, such as a body that cannot be read. Clients that accept the newer type read the
 * errors of a 4xx or 5xx only if it has that type: Apollo Client would report nothing but the status.
 */
export function sendGraphqlError(res: Response, error: ServiceError): void {
  const isNewer = isShort(res.req) && isResponseJson(res.req);
  res
    .status(error.status)
    .set(error.headers)
    .type(isNewer ? RESPONSE_JSON_TYPE : JSON_TYPE)
    .json({ errors: [presentServiceError(error)] });
}
