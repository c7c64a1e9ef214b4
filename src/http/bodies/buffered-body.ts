import express, { type Request, type RequestHandler } from 'express';
import { PayloadTooLargeError, RequestTimeoutError, UnsupportedMediaTypeError } from '../../errors/errors.ts';
import { recordOf } from '../requests/request-record.ts';
import { refuseOtherCharsets } from './charset.ts';
import { askForBody } from './expected-body.ts';

/** More than any request without documents needs. A text field of a doctor's form has the same limit. */
export const MAX_BODY_BYTES = 102_400;

/** Turns the bytes of a body into `req.body`. */
type ParseBody = (body: Buffer, req: Request) => unknown;

interface BufferedBody {
  /** The media types that are read. Requests of other types are passed on. */
  types: string[];
  parse: ParseBody;
  /** How long the body may take. After that: RequestTimeoutError, and the connection is closed. */
  timeoutMillis: number;
}

/**
 * Refuses a body by its headers, before its sender is asked for it. A compressed body is refused with 415: PHP would not
 * inflate it either, and a small one may be very large inside.
 * @throws PayloadTooLargeError, UnsupportedMediaTypeError
 */
function refuseByHeaders({ headers, headersDistinct }: Request): void {
  headersDistinct['content-type']?.forEach(refuseOtherCharsets);
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new UnsupportedMediaTypeError();
  }
  if (Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    throw new PayloadTooLargeError(`a body of more than ${MAX_BODY_BYTES} bytes`);
  }
}

/** Reads a small body as a whole, in UTF-8, within a time. Uploads may take far longer and have their own deadlines. */
export function bufferedBody({ types, parse, timeoutMillis }: BufferedBody): RequestHandler {
  const read = express.raw({ type: types, limit: MAX_BODY_BYTES, inflate: false });
  return async (req, res, next) => {
    if (!req.is(types)) {
      return next();
    }
    refuseByHeaders(req);
    askForBody(req);
    await new Promise<void>((resolve, reject) => {
      // When the connection is closed for a late body, the reader reports another error. Only the first one counts.
      const late = () => reject(new RequestTimeoutError(`a body that takes more than ${timeoutMillis} ms`));
      const cancelDeadline = recordOf(req).clock.after(timeoutMillis, late);
      read(req, res, (error?: unknown) => {
        cancelDeadline();
        return error ? reject(error) : resolve();
      });
    });
    if (Buffer.isBuffer(req.body)) {
      req.body = await parse(req.body, req);
    }
    next();
  };
}
