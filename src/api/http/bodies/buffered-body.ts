import { isUtf8 } from 'node:buffer';
import type { Request, RequestHandler } from 'express';
import { BadRequestError, PayloadTooLargeError, RequestTimeoutError } from '../../../system/errors.ts';
import type { HeldCapacity, SharedCapacity } from '../../../system/shared-capacity.ts';
import { MAX_BODY_BYTES } from '../request-limits.ts';
import { recordOf } from '../request-record.ts';
import { holdMemory, memoryOf } from './body-memory.ts';
import { checkContentHeaders, isOfType, JSON_TYPE, requireCharset, type TextCharset } from './media-types.ts';
import { readBody } from './unread-body.ts';

/** What all readers of small bodies share. */
export interface BodyParts {
  memory: SharedCapacity;
  /** How long a body may take. After that: RequestTimeoutError, and the connection is closed. */
  timeoutMillis: number;
}

interface BufferedBody extends BodyParts {
  /** The media types that are read. Requests of other types are passed on. */
  types: string[];
  /** Turns the bytes of a body into `req.body`. */
  parse(body: Buffer, charset: TextCharset, req: Request): unknown;
}

/**
 * Reads a small body as a whole, in UTF-8, within a time. Uploads may take far longer and have their own deadlines.
 * @throws (to the error handler) RequestTimeoutError, PayloadTooLargeError; TooManyAttemptsError or ServiceUnavailableError if
 *   there is no memory for it
 */
export function bufferedBody({ types, parse, timeoutMillis, memory }: BufferedBody): RequestHandler {
  return async (req, res, next) => {
    if (!isOfType(req, types)) {
      return next();
    }
    const charset = refuseByHeaders(req);
    const body = await receive(req, holdMemory(memory, req, res), timeoutMillis);
    req.body = parse(body, charset, req);
    next();
  };
}

/**
 * Refuses a body by its headers, before its sender is asked for it.
 * @throws PayloadTooLargeError, UnsupportedMediaTypeError
 */
function refuseByHeaders(req: Request): TextCharset {
  const charset = checkContentHeaders(req);
  if (Number(req.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
    throw new PayloadTooLargeError(`a body of more than ${MAX_BODY_BYTES} bytes`);
  }
  return charset;
}

/** Collects a body. When it is refused, what has come is dropped, and so is the rest. */
async function receive(req: Request, held: HeldCapacity, timeoutMillis: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  const reading = readBody(req, (chunk) => {
    sizeBytes += chunk.length;
    if (sizeBytes > MAX_BODY_BYTES) {
      throw new PayloadTooLargeError(`a body of more than ${MAX_BODY_BYTES} bytes`);
    }
    held.growTo(memoryOf(sizeBytes, chunks.length + 1));
    chunks.push(chunk);
  });
  const cancelDeadline = recordOf(req).clock.after(timeoutMillis, () =>
    reading.fail(new RequestTimeoutError(`a body that takes more than ${timeoutMillis} ms`)),
  );
  await reading.ended.finally(cancelDeadline).catch((error: unknown) => {
    held.leave();
    throw error;
  });
  return Buffer.concat(chunks);
}

/** Reads a JSON body of any shape. A value that is not an object is treated as one without fields. */
export const jsonBody = (parts: BodyParts): RequestHandler =>
  bufferedBody({ types: [JSON_TYPE], parse: parseJson, ...parts });

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Refuses bytes that are not UTF-8 (RFC 8259 section 8.1). They would all be read as U+FFFD: the account would get another
 * name than the sender wrote, and another password would fit.
 * @returns an empty object for an empty body
 */
function parseJson(body: Buffer, charset: TextCharset): unknown {
  if (body.length === 0) {
    return {};
  }
  requireCharset(body, charset);
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

const notJson = (cause?: unknown) => new BadRequestError('The request body is not valid JSON.', { cause });
