import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Request, Response } from 'express';
import type { Quarantine, ReceivedFile } from '../../../documents/quarantine.ts';
import { BadRequestError, PayloadTooLargeError } from '../../../system/errors.ts';
import type { Logger } from '../../../system/log.ts';
import type { RunningWork } from '../../../system/running-work.ts';
import type { HeldCapacity, SharedCapacity } from '../../../system/shared-capacity.ts';
import { countedAddress } from '../request-caller.ts';
import type { UploadLimits } from '../request-limits.ts';
import { recordOf } from '../request-record.ts';
import { holdMemory } from './body-memory.ts';

/** An upload takes seconds to minutes, so capacity becomes free all the time. */
export const UPLOAD_RETRY_AFTER_SECONDS = 10;

/** The parts of the app that all uploads use. */
export interface UploadParts {
  quarantine: Quarantine;
  uploadLimits: UploadLimits;
  uploadCapacity: SharedCapacity;
  textMemory: SharedCapacity;
  /** Holds every upload until none of its files is left in quarantine. */
  running: RunningWork;
  log: Logger;
}

/** Receives the files of one request into quarantine. Files that are not taken are removed after the response. */
export class Uploads {
  readonly #received: Promise<ReceivedFile>[] = [];
  /**
   * What the request holds until none of its files is left in quarantine. A declared length is taken at once, so a body that
   * was admitted is not refused later because of other uploads.
   */
  readonly held: HeldCapacity;
  /** The memory for its texts. */
  readonly memory: HeldCapacity;
  #isOver = false;

  /**
   * Takes capacity for a request that is about to be received.
   * @param res when it closes, the files that were not taken are discarded
   * @throws PayloadTooLargeError if the declared length is over the limit; TooManyAttemptsError or
   *   ServiceUnavailableError if there is no capacity
   */
  constructor(
    private readonly parts: UploadParts,
    req: Request,
    res: Response,
  ) {
    const { running, log, uploadLimits, uploadCapacity, textMemory } = parts;
    const declaredBytes = Number(req.headers['content-length'] ?? 0);
    if (declaredBytes > uploadLimits.maxBodyBytes) {
      throw new PayloadTooLargeError(`a body of ${declaredBytes} bytes`);
    }
    this.held = uploadCapacity.take(countedAddress(recordOf(req).ip), declaredBytes);
    this.memory = holdMemory(textMemory, req, res);
    const over = new Promise((resolve) => res.once('close', resolve));
    const discarded = over.then(() => this.#discardAll()).finally(this.held.leave);
    running.add(discarded).catch((err: unknown) => log.warn({ err }, 'an upload was left in quarantine'));
  }

  /** Receives a file part. It is always read to its end, so that the next parts can come. */
  receive(part: Readable, clientName: string): Promise<ReceivedFile> {
    const received = this.#isOver ? dropped(part) : this.#receive(part, clientName);
    // A failure that is not awaited must not end the process.
    received.catch(() => {});
    this.#received.push(received);
    return received;
  }

  async #receive(part: Readable, clientName: string): Promise<ReceivedFile> {
    const file = await this.parts.quarantine.receive(part, clientName);
    // A copy counts as if it had been sent.
    file.copy = () => {
      this.held.growTo(this.held.heldBytes + file.sizeBytes);
      return this.receive(createReadStream(file.path), clientName);
    };
    return file;
  }

  async #discardAll(): Promise<void> {
    this.#isOver = true;
    for (const outcome of await Promise.allSettled(this.#received)) {
      if (outcome.status === 'fulfilled') {
        await this.parts.quarantine.discard(outcome.value.path);
      }
    }
  }
}

/** A file that is received after the end of its request would never be discarded. */
async function dropped(part: Readable): Promise<never> {
  part.on('error', () => {}).resume();
  throw new BadRequestError('The request is over.');
}
