import type { Request, RequestHandler } from 'express';
import {
  BadRequestError,
  PayloadTooLargeError,
  RequestTimeoutError,
  UnsupportedMediaTypeError,
} from '../../../system/errors.ts';
import type { HeldCapacity, SharedCapacity } from '../../../system/shared-capacity.ts';
import { recordOf } from '../requests/request-record.ts';
import { holdMemory, memoryOf } from './body-memory.ts';
import { refuseOtherCharsets } from './charset.ts';
import { askForBody } from './expected-body.ts';

/** More than any request without documents needs. A text field of a doctor's form has the same limit. */
export const MAX_BODY_BYTES = 102_400;

/** What all readers of small bodies share. */
export interface BodyParts {
  memory: SharedCapacity;
  /** How long a body may take. After that: RequestTimeoutError, and the connection is closed. */
  timeoutMillis: number;
}

/** Turns the bytes of a body into `req.body`. */
type ParseBody = (body: Buffer, req: Request) => unknown;

interface BufferedBody extends BodyParts {
  /** The media types that are read. Requests of other types are passed on. */
  types: string[];
  parse: ParseBody;
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

/**
 * Reads a small body as a whole, in UTF-8, within a time. Uploads may take far longer and have their own deadlines.
 * @throws (to the error handler) RequestTimeoutError, PayloadTooLargeError; TooManyAttemptsError or ServiceUnavailableError if
 *   there is no memory for it
 */
export function bufferedBody({ types, parse, timeoutMillis, memory }: BufferedBody): RequestHandler {
  return async (req, res, next) => {
    if (!req.is(types)) {
      return next();
    }
    refuseByHeaders(req);
    askForBody(req);
    const body = await receive(req, holdMemory(memory, req, res), timeoutMillis);
    req.body = await parse(body, req);
    next();
  };
}

/** Collects a body. When it is refused, what has come is dropped, and so is the rest. */
function receive(req: Request, held: HeldCapacity, timeoutMillis: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const add = (chunk: Buffer) => {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) {
      throw new PayloadTooLargeError(`a body of more than ${MAX_BODY_BYTES} bytes`);
    }
    held.growTo(memoryOf(sizeBytes, chunks.length + 1));
    chunks.push(chunk);
  };
  return new Promise<Buffer>((resolve, reject) => {
    const stop = () => {
      cancelDeadline();
      req.off('data', onData).off('end', onEnd).off('close', onClose);
    };
    const fail = (error: unknown) => {
      stop();
      held.leave();
      reject(error);
      req.resume();
    };
    const onData = (chunk: Buffer) => {
      try {
        add(chunk);
      } catch (refusal) {
        fail(refusal);
      }
    };
    const onEnd = () => {
      stop();
      resolve(Buffer.concat(chunks));
    };
    const onClose = () =>
      fail(new BadRequestError('Bad Request', { cause: new Error('the sender went away') }));
    const late = () => fail(new RequestTimeoutError(`a body that takes more than ${timeoutMillis} ms`));
    const cancelDeadline = recordOf(req).clock.after(timeoutMillis, late);
    req.on('data', onData).on('end', onEnd).on('close', onClose);
    if (req.destroyed) {
      onClose();
    }
  });
}
