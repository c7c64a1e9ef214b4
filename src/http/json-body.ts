import { isUtf8 } from 'node:buffer';
import express, { type RequestHandler } from 'express';
import { BadRequestError, RequestTimeoutError } from '../errors.ts';

/** More than any request of this service needs; documents come as multipart. A text field of a form has the same limit. */
export const MAX_JSON_BYTES = 102_400;

/**
 * Bytes that are no UTF-8 would all be read as U+FFFD: the account would have another name than was sent, and another
 * password would open it (RFC 8259 section 8.1).
 */
function refuseMalformedUtf8(body: Buffer, encoding: string): void {
  if (encoding === 'utf-8' && !isUtf8(body)) throw new BadRequestError('The request body is not valid JSON.');
}

/**
 * Reads a JSON body of any shape: what is not an object simply has no fields, and is answered as such. One that is
 * compressed is refused with 415, as PHP would not inflate it either and a small one may be very large inside.
 * @param timeoutMillis how long the body may take; then RequestTimeoutError, and the connection is closed. Uploads, which
 *   may take far longer, have deadlines of their own
 */
export function jsonBody(timeoutMillis: number): RequestHandler {
  const parse = express.json({
    limit: MAX_JSON_BYTES,
    strict: false,
    inflate: false,
    verify: (_req, _res, body, encoding) => refuseMalformedUtf8(body, encoding),
  });
  return (req, res, next) => {
    let isDone = false;
    const done = (error?: unknown) => {
      clearTimeout(deadline);
      // The parser has an error of its own to tell when the connection is closed for the first one.
      if (!isDone) next(error);
      isDone = true;
    };
    const late = () => done(new RequestTimeoutError(`a JSON body that takes more than ${timeoutMillis} ms`));
    const deadline = setTimeout(late, timeoutMillis);
    parse(req, res, done);
  };
}
