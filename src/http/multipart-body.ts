import type { IncomingHttpHeaders } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { Request } from 'express';
import { BadRequestError, PayloadTooLargeError } from '../errors.ts';

/** A multipart body that cannot be read: without boundary, cut short, with broken headers. */
export const malformedMultipart = (cause?: unknown): BadRequestError =>
  new BadRequestError('The request body is not valid multipart form data.', { cause });

/**
 * A request's body on its way to a multipart parser. It ends with an error when it grows over its limit or the sender
 * goes away, so that whatever reads it ends too; the request itself stays open for the answer.
 */
export class MultipartBody extends Transform {
  /** Parsers look for the boundary here, as in a request. */
  readonly headers: IncomingHttpHeaders;
  #sizeBytes = 0;

  constructor(
    req: Request,
    private readonly maxBytes: number,
  ) {
    super();
    this.headers = req.headers;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#sizeBytes += chunk.length;
    if (this.#sizeBytes > this.maxBytes) done(tooLarge(this.maxBytes));
    else done(null, chunk);
  }
}

/**
 * Opens the body of a multipart request.
 * @param maxBytes the largest body, whether its length is declared or not
 * @throws PayloadTooLargeError at once, when the declared length is over the limit
 */
export function openMultipartBody(req: Request, maxBytes: number): MultipartBody {
  if (Number(req.headers['content-length'] ?? 0) > maxBytes) {
    abandon(req);
    throw tooLarge(maxBytes);
  }
  const body = new MultipartBody(req, maxBytes);
  body.once('close', () => {
    req.unpipe(body);
    abandon(req);
  });
  // A listener of its own, so that an error nobody is waiting for any more cannot end the process.
  body.on('error', () => {});
  req.once(
    'close',
    () => req.complete || body.destroy(malformedMultipart(new Error('the sender went away'))),
  );
  return req.pipe(body);
}

const tooLarge = (maxBytes: number) => new PayloadTooLargeError(`a body of more than ${maxBytes} bytes`);

const LINGER_MILLIS = 5_000;

/**
 * Reads and drops what is left of a request, so that a sender who reads the answer only after sending gets it, and the
 * next request on the connection is answered; but not for ever.
 */
function abandon(req: Request): void {
  if (req.complete || req.destroyed) return;
  const timer = setTimeout(() => req.destroy(), LINGER_MILLIS).unref();
  req.once('close', () => clearTimeout(timer));
  req.resume();
}
