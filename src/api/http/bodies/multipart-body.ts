import type { Request } from 'express';
import { PayloadTooLargeError, RequestTimeoutError } from '../../../system/errors.ts';
import type { HeldCapacity } from '../../../system/shared-capacity.ts';
import type { UploadLimits } from '../request-limits.ts';
import { recordOf } from '../request-record.ts';
import { memoryOf } from './body-memory.ts';
import { checkContentHeaders } from './media-types.ts';
import { MultipartParser, type PartReceiver } from './multipart-parser.ts';
import { readBody } from './unread-body.ts';
import type { Uploads } from './uploads.ts';

/**
 * The body of a multipart request. It ends with an error if it exceeds its limits, takes too long, or the sender disconnects. The
 * request itself stays open for the answer.
 */
export class MultipartBody {
  /** The number of bytes received so far. */
  sizeBytes = 0;
  #maxBytes: number;
  #textBytes = 0;
  #textChunks = 0;
  /** Ends the reading with an error. The rest of the body is dropped. */
  destroy: (reason: Error) => void = () => {};

  /**
   * @param capacity what the upload holds: `held` grows with the body, `memory` with its texts
   * @param limits the largest body, its texts and its parts, and how long it may take
   */
  constructor(
    private readonly req: Request,
    private readonly capacity: Pick<Uploads, 'held' | 'memory'>,
    private readonly limits: UploadLimits,
  ) {
    this.#maxBytes = limits.maxBodyBytes;
  }

  /**
   * Lowers the limit once more is known about the request.
   * @throws PayloadTooLargeError if the declared length is over the new limit
   */
  limitTo(maxBytes: number): void {
    this.#maxBytes = Math.min(this.#maxBytes, maxBytes);
    if (Number(this.req.headers['content-length'] ?? 0) > this.#maxBytes) {
      throw tooLarge(this.#maxBytes);
    }
  }

  /**
   * Reads the body to its end.
   * @throws BadRequestError if it cannot be read or the sender has disconnected, UnsupportedMediaTypeError if it is compressed or
   *   not in UTF-8, PayloadTooLargeError, RequestTimeoutError, and what the receiver throws
   */
  async read(receiver: PartReceiver): Promise<void> {
    const { req, limits } = this;
    const form = { contentType: req.headers['content-type'], charset: checkContentHeaders(req) };
    const parser = new MultipartParser(form, limits, receiver, () => req.resume());
    const reading = readBody(req, (chunk) => this.#take(chunk, parser));
    this.destroy = reading.fail;
    const cancelDeadlines = this.#setDeadlines(parser);
    try {
      await reading.ended;
      parser.end();
    } catch (reason) {
      parser.destroy(reason as Error);
      throw reason;
    } finally {
      cancelDeadlines();
    }
  }

  #take(chunk: Buffer, parser: MultipartParser): void {
    const { held, memory } = this.capacity;
    this.sizeBytes += chunk.length;
    recordOf(this.req).uploadBytes = this.sizeBytes;
    if (this.sizeBytes > this.#maxBytes) {
      throw tooLarge(this.#maxBytes);
    }
    held.growTo(this.sizeBytes);
    parser.write(chunk);
    const textBytes = this.sizeBytes - parser.fileBytes;
    if (textBytes > this.#textBytes) {
      this.#textBytes = textBytes;
      this.#textChunks += 1;
      if (textBytes > this.limits.maxTextBytes) {
        throw new PayloadTooLargeError(`texts of more than ${this.limits.maxTextBytes} bytes`);
      }
      memory.growTo(memoryOf(textBytes, this.#textChunks));
    }
    if (parser.isFull) {
      this.req.pause();
    }
  }

  /** Ends a body that takes too long or whose sender stalls. A stall costs the sender nothing, but holds a connection and files. */
  #setDeadlines(parser: MultipartParser): () => void {
    const { timeoutMillis, stallMillis } = this.limits;
    const { clock } = recordOf(this.req);
    const cancelDeadline = clock.after(timeoutMillis, () =>
      this.destroy(new RequestTimeoutError(`a body that takes more than ${timeoutMillis} ms`)),
    );
    let sizeBefore = 0;
    const checkProgress = () => {
      const progressBytes = this.sizeBytes - sizeBefore;
      sizeBefore = this.sizeBytes;
      // While the received part waits for our disk, the sender cannot send more.
      if (progressBytes < minProgressBytes(this.capacity.held, this.limits) && !parser.isFull) {
        this.destroy(new RequestTimeoutError(`${progressBytes} bytes of a body in ${stallMillis} ms`));
      } else {
        cancelCheck = clock.after(stallMillis, checkProgress);
      }
    };
    let cancelCheck = clock.after(stallMillis, checkProgress);
    return () => {
      cancelDeadline();
      cancelCheck();
    };
  }
}

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

const tooLarge = (maxBytes: number) => new PayloadTooLargeError(`a body of more than ${maxBytes} bytes`);
