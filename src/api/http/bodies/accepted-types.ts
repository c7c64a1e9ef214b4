import type { IncomingHttpHeaders } from 'node:http';
import type { RequestHandler } from 'express';
import { UnsupportedMediaTypeError } from '../../../system/errors.ts';

/** True if a request has a body. One of length 0 is none. */
const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * Refuses a body of another media type. Without this, its fields would be missing, which tells the sender nothing.
 * @param types the media types that the endpoint reads; the error names them
 * @param unnamed more types that it reads. Their answers say what is missing, so the error does not suggest them
 * @throws UnsupportedMediaTypeError before any of the body is read
 */
export function onlyTypes(types: string[], unnamed: string[] = []): RequestHandler {
  const message = `The request body must be ${new Intl.ListFormat('en', { type: 'disjunction' }).format(types)}.`;
  return (req, _res, next) => {
    if (hasBody(req.headers) && !req.is([...types, ...unnamed])) {
      throw new UnsupportedMediaTypeError({ message });
    }
    next();
  };
}
