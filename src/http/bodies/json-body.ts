import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler } from 'express';
import {
  BadRequestError,
  PayloadTooLargeError,
  RequestTimeoutError,
  UnsupportedMediaTypeError,
} from '../../errors/errors.ts';
import { recordOf } from '../requests/request-record.ts';
import { refuseOtherCharsets } from './charset.ts';
import { askForBody } from './expected-body.ts';

/** More than any JSON request needs, because documents come as multipart. Text fields of forms have the same limit. */
export const MAX_JSON_BYTES = 102_400;

const TYPE = 'application/json';
const BYTE_ORDER_MARK = '\ufeff';

/**
 * Refuses bytes that are not UTF-8 (RFC 8259 section 8.1). They would all be read as U+FFFD: the account would get another
 * name than the sender wrote, and another password would fit.
 * @returns an empty object for an empty body
 */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) {
    return {};
  }
  if (!isUtf8(body)) {
    throw notJson();
  }
  const text = body.toString();
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch (error) {
    throw notJson(error);
  }
}

/** @returns the error instead of throwing it: the caller is a callback, where Express would not catch it */
function parseBody(req: Request): unknown {
  try {
    if (Buffer.isBuffer(req.body)) {
      req.body = parseJson(req.body);
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

const notJson = (cause?: unknown) => new BadRequestError('The request body is not valid JSON.', { cause });

/**
 * Refuses a body by its headers, before its sender is asked for it.
 * @throws PayloadTooLargeError, UnsupportedMediaTypeError
 */
function refuseByHeaders({ headers, headersDistinct }: Request): void {
  headersDistinct['content-type']?.forEach(refuseOtherCharsets);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new UnsupportedMediaTypeError();
  }
  if (Number(headers['content-length'] ?? 0) > MAX_JSON_BYTES) {
    throw new PayloadTooLargeError(`a body of more than ${MAX_JSON_BYTES} bytes`);
  }
}

/**
 * Reads a JSON body of any shape. A value that is not an object is treated as one without fields. A compressed body is
 * refused with 415: PHP would not inflate it either, and a small one may be very large inside.
 * @param timeoutMillis how long the body may take. After that: RequestTimeoutError, and the connection is closed. Uploads
 *   may take far longer and have their own deadlines
 */
export function jsonBody(timeoutMillis: number): RequestHandler {
  const read = express.raw({ type: TYPE, limit: MAX_JSON_BYTES, inflate: false });
  return (req, res, next) => {
    if (!req.is(TYPE)) {
      return next();
    }
    refuseByHeaders(req);
    askForBody(req);
    let isDone = false;
    const done = (error?: unknown) => {
      cancelDeadline();
      // When the connection is closed for the first error, the reader reports another one.
      if (isDone) {
        return;
      }
      isDone = true;
      next(error ?? parseBody(req));
    };
    const late = () => done(new RequestTimeoutError(`a JSON body that takes more than ${timeoutMillis} ms`));
    const cancelDeadline = recordOf(req).clock.after(timeoutMillis, late);
    read(req, res, done);
  };
}
