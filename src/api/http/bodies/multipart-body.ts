import type { IncomingHttpHeaders } from 'node:http';
import { Transform, type TransformCallback } from 'node:stream';
import type { Busboy } from 'busboy';
import type { Request } from 'express';
import { onFileBytes } from '../../../patches/busboy-file-bytes.ts';
import { BadRequestError, PayloadTooLargeError, RequestTimeoutError } from '../../../system/errors.ts';
import type { HeldCapacity } from '../../../system/shared-capacity.ts';
import type { UploadLimits } from '../request-limits.ts';
import { type RequestRecord, recordOf } from '../request-record.ts';
import { memoryOf } from './body-memory.ts';
import { refuseOtherCharsets, refuseOtherCharsetsOfParts } from './media-types.ts';
import { abandon, askForBody } from './unread-body.ts';
import type { Uploads } from './uploads.ts';

type UploadCapacity = Pick<Uploads, 'held' | 'memory'>;
type SizeLimits = Pick<UploadLimits, 'maxBodyBytes' | 'maxTextBytes'>;

/**
 * The body of a request, piped to a multipart parser. It ends with an error if it exceeds its limit, takes too long, or the
 * sender disconnects. So the parser ends, too. The request itself stays open for the answer.
 */
export class MultipartBody extends Transform {
  /** Parsers look for the boundary here, as in a request. */
  readonly headers: IncomingHttpHeaders;
  /** The number of bytes received so far. */
  sizeBytes = 0;
  readonly #record: RequestRecord;
  readonly #maxTextBytes: number;
  #maxBytes: number;

  /** @param capacity what the upload holds: `held` grows with the body, `memory` with its texts */
  constructor(
    req: Request,
    private readonly capacity: UploadCapacity,
    { maxBodyBytes, maxTextBytes }: SizeLimits,
  ) {
    super();
    this.headers = req.headers;
    this.#record = recordOf(req);
    this.#maxBytes = maxBodyBytes;
    this.#maxTextBytes = maxTextBytes;
  }

  /**
   * Lowers the limit once more is known about the request.
   * @throws PayloadTooLargeError if the declared length is over the new limit
   */
  limitTo(maxBytes: number): void {
    this.#maxBytes = Math.min(this.#maxBytes, maxBytes);
    if (Number(this.headers['content-length'] ?? 0) > this.#maxBytes) {
      throw tooLarge(this.#maxBytes);
    }
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.sizeBytes += chunk.length;
    this.#record.uploadBytes = this.sizeBytes;
    done(this.#refusal(), chunk);
  }

  #refusal(): Error | null {
    if (this.sizeBytes > this.#maxBytes) {
      return tooLarge(this.#maxBytes);
    }
    return refusalBy(() => this.capacity.held.growTo(this.sizeBytes));
  }

  /** Emits `parser` with the parser. A library makes its own parser, and does not listen to all its events. */
  override pipe<T extends NodeJS.WritableStream>(parser: T, options?: { end?: boolean }): T {
    refuseOtherCharsetsOfParts(parser as NodeJS.WritableStream as Busboy, (error) =>
      this.destroy(error as Error),
    );
    this.emit('parser', parser);
    const piped = super.pipe(parser, options);
    this.#holdTexts(parser as NodeJS.WritableStream as Busboy);
    return piped;
  }

  /** Counts what a parser keeps in memory: all but the bytes of files, which it hands on. */
  #holdTexts(parser: Busboy): void {
    let [textBytes, textChunks] = [0, 0];
    let unread = 0;
    let fileBytes = 0;
    onFileBytes(parser, (bytes) => {
      fileBytes += bytes;
    });
    // After the parser has had the chunk, because its own listener came first.
    this.on('data', (chunk: Buffer) => {
      unread += chunk.length;
      // While the files of a chunk wait for the disk, the parser has not read the next one.
      if (parser.writableLength > 0 || unread <= fileBytes) {
        return;
      }
      textBytes += unread - fileBytes;
      textChunks += 1;
      [unread, fileBytes] = [0, 0];
      const refusal = this.#refusalOfTexts(textBytes, memoryOf(textBytes, textChunks));
      if (refusal) {
        this.destroy(refusal);
      }
    });
  }

  #refusalOfTexts(bytes: number, memoryBytes: number): Error | null {
    if (bytes > this.#maxTextBytes) {
      return new PayloadTooLargeError(`texts of more than ${this.#maxTextBytes} bytes`);
    }
    return refusalBy(() => this.capacity.memory.growTo(memoryBytes));
  }
}

/** The error of a step that is refused. */
function refusalBy(step: () => void): Error | null {
  try {
    step();
    return null;
  } catch (refusal) {
    return refusal as Error;
  }
}

/**
 * Opens the body of a multipart request.
 * @param capacity what was taken for the body
 * @param limits the largest body and its most texts, and how long it may take
 * @throws BadRequestError if the sender has already disconnected, UnsupportedMediaTypeError if the body is not in UTF-8
 */
export function openMultipartBody(
  req: Request,
  capacity: UploadCapacity,
  limits: UploadLimits,
): MultipartBody {
  if (req.destroyed) {
    throw disconnected();
  }
  req.headersDistinct['content-type']?.forEach(refuseOtherCharsets);
  askForBody(req);
  const body = new MultipartBody(req, capacity, limits);
  setDeadlines(req, body, capacity.held, limits);
  body.once('close', () => {
    req.unpipe(body);
    abandon(req);
  });
  // Without this listener, a late error would end the process.
  body.on('error', () => {});
  req.once('close', () => req.readableEnded || body.destroy(disconnected()));
  return req.pipe(body);
}

/** The error for a multipart body that cannot be read: without a boundary, cut short, or with broken headers. */
export const malformedMultipart = (cause?: unknown): BadRequestError =>
  new BadRequestError('The request body is not valid multipart form data.', { cause });

const disconnected = () => malformedMultipart(new Error('the sender went away'));

/** A sender who sends less within the stall time holds the connection open on purpose. */
const MIN_PROGRESS_BYTES = 4096;

/** The minimum rate, as a part of the rate at which the body arrives just in time. Senders may be slower for a while. */
const MIN_PART_OF_RATE = 0.5;

/**
 * The bytes that must come within the stall time. They grow with the bytes that the body holds. To hold many, a sender
 * must use as much bandwidth as for an honest upload of that size.
 */
const minProgressBytes = (
  { heldBytes }: HeldCapacity,
  { timeoutMillis, stallMillis }: UploadLimits,
): number => Math.max(MIN_PROGRESS_BYTES, MIN_PART_OF_RATE * heldBytes * (stallMillis / timeoutMillis));

/** Ends a body that takes too long or whose sender stalls. A stall costs the sender nothing, but holds a connection and files. */
function setDeadlines(req: Request, body: MultipartBody, held: HeldCapacity, limits: UploadLimits): void {
  const { timeoutMillis, stallMillis } = limits;
  const { clock } = recordOf(req);
  const cancelDeadline = clock.after(timeoutMillis, () =>
    body.destroy(new RequestTimeoutError(`a body that takes more than ${timeoutMillis} ms`)),
  );
  let sizeBefore = 0;
  const checkProgress = () => {
    const progressBytes = body.sizeBytes - sizeBefore;
    sizeBefore = body.sizeBytes;
    // While the received part waits for our disk, the sender cannot send more.
    if (progressBytes < minProgressBytes(held, limits) && !body.writableNeedDrain) {
      body.destroy(new RequestTimeoutError(`${progressBytes} bytes of a body in ${stallMillis} ms`));
    } else {
      cancelCheck = clock.after(stallMillis, checkProgress);
    }
  };
  let cancelCheck = clock.after(stallMillis, checkProgress);
  const stop = () => {
    cancelDeadline();
    cancelCheck();
  };
  // After the whole body has come, a delay is our own fault.
  req.once('end', stop);
  body.once('close', stop);
}

const tooLarge = (maxBytes: number) => new PayloadTooLargeError(`a body of more than ${maxBytes} bytes`);
