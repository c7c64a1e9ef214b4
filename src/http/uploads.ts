import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Quarantine } from '../documents/quarantine.ts';
import type { ReceivedFile } from '../documents/received-file.ts';
import { BadRequestError, PayloadTooLargeError } from '../errors.ts';
import type { Logger } from '../log.ts';

/** Bounds of a multipart request, enforced while it comes in. */
export interface UploadLimits {
  /** The whole body. */
  maxBodyBytes: number;
  maxFiles: number;
  maxFields: number;
  /** One text field. */
  maxFieldBytes: number;
}

const KIBIBYTE = 1024;
const DOCUMENTS = 3;

/** The limits that follow from the one that is a setting. */
export const uploadLimits = (maxFileBytes: number): UploadLimits => ({
  maxBodyBytes: DOCUMENTS * maxFileBytes + KIBIBYTE * KIBIBYTE,
  maxFiles: 2 * DOCUMENTS,
  maxFields: 32,
  maxFieldBytes: 256 * KIBIBYTE,
});

/** The files of one request on their way into quarantine. What the service has not taken when the response is out goes. */
export class Uploads {
  readonly #received: Promise<ReceivedFile>[] = [];

  constructor(
    private readonly quarantine: Quarantine,
    private readonly log: Logger,
  ) {}

  /** Receives a file part; it is read to its end whatever happens, so the parts behind it are not held up. */
  receive(part: Readable, clientName: string): Promise<ReceivedFile> {
    const received = this.quarantine.receive(part, clientName);
    // Whoever waits for it sees the failure; one that nobody waits for must not end the process.
    received.catch(() => {});
    this.#received.push(received);
    return received;
  }

  /** Discards what is left as soon as the exchange is over, however it ended. */
  discardAfter(res: Response): void {
    res.once('close', () => {
      this.#discardAll().catch((err: unknown) => this.log.warn({ err }, 'an upload was left in quarantine'));
    });
  }

  async #discardAll(): Promise<void> {
    for (const outcome of await Promise.allSettled(this.#received)) {
      if (outcome.status === 'fulfilled') await this.quarantine.discard(outcome.value.path);
    }
  }
}

/**
 * Watches the size of a request body, declared or not.
 * @param onExceeded is called once, at the first byte over the limit
 * @throws PayloadTooLargeError at once, when the declared length is over the limit
 */
export function limitBody(
  req: Request,
  maxBodyBytes: number,
  onExceeded: (error: PayloadTooLargeError) => void,
) {
  const tooLarge = () => new PayloadTooLargeError(`a body of more than ${maxBodyBytes} bytes`);
  if (Number(req.headers['content-length'] ?? 0) > maxBodyBytes) throw tooLarge();
  let receivedBytes = 0;
  const count = (chunk: Buffer) => {
    receivedBytes += chunk.length;
    if (receivedBytes <= maxBodyBytes) return;
    req.off('data', count);
    onExceeded(tooLarge());
  };
  req.on('data', count);
}

/** A multipart body that cannot be read: without boundary, cut short, with broken headers. */
export const malformedMultipart = (cause?: unknown): BadRequestError =>
  new BadRequestError('The request body is not valid multipart form data.', { cause });

const LINGER_MILLIS = 5_000;

/**
 * Gives up on a request whose body has not been read to its end. The rest is read and dropped, so that a sender who
 * reads the answer only after sending gets it, and the next request on the connection is answered; but not for ever.
 */
export function abandonBody(req: Request): void {
  if (req.complete || req.destroyed) return;
  const timer = setTimeout(() => req.destroy(), LINGER_MILLIS).unref();
  req.once('close', () => clearTimeout(timer));
  req.resume();
}
