import type { Readable } from 'node:stream';
import type { Response } from 'express';
import type { Quarantine } from '../documents/quarantine.ts';
import type { ReceivedFile } from '../documents/received-file.ts';
import type { Logger } from '../log.ts';
import type { RunningWork } from '../running-work.ts';
import { MAX_JSON_BYTES } from './json-body.ts';

/** Bounds of a multipart request, enforced while it comes in. */
export interface UploadLimits {
  /** The whole body. */
  maxBodyBytes: number;
  maxFiles: number;
  maxFields: number;
  /** One text field, which must be shorter. */
  maxFieldBytes: number;
  /** How long the whole body may take. */
  timeoutMillis: number;
  /** How long a sender may send next to nothing. */
  stallMillis: number;
}

const KIBIBYTE = 1024;
const DOCUMENTS = 3;

interface UploadSettings {
  maxFileBytes: number;
  uploadTimeoutMillis: number;
  uploadStallMillis: number;
}

/** The limits, those included that follow from the settings. */
export const uploadLimits = ({
  maxFileBytes,
  uploadTimeoutMillis,
  uploadStallMillis,
}: UploadSettings): UploadLimits => ({
  maxBodyBytes: DOCUMENTS * maxFileBytes + KIBIBYTE * KIBIBYTE,
  maxFiles: 2 * DOCUMENTS,
  maxFields: 32,
  // busboy counts a field as cut off when it reaches its limit.
  maxFieldBytes: MAX_JSON_BYTES + 1,
  timeoutMillis: uploadTimeoutMillis,
  stallMillis: uploadStallMillis,
});

/** What every upload needs. */
export interface UploadParts {
  quarantine: Quarantine;
  /** Told of every upload until nothing of it is left in quarantine. */
  running: RunningWork;
  log: Logger;
}

/** The files of one request on their way into quarantine. What the service has not taken when the response is out goes. */
export class Uploads {
  readonly #received: Promise<ReceivedFile>[] = [];

  /** @param res with it, however the exchange ends, goes what is left */
  constructor(
    private readonly parts: UploadParts,
    res: Response,
  ) {
    const { running, log } = parts;
    const over = new Promise((resolve) => res.once('close', resolve));
    const discarded = over.then(() => this.#discardAll());
    running.add(discarded.catch((err: unknown) => log.warn({ err }, 'an upload was left in quarantine')));
  }

  /** Receives a file part; it is read to its end whatever happens, so the parts behind it are not held up. */
  receive(part: Readable, clientName: string): Promise<ReceivedFile> {
    const received = this.parts.quarantine.receive(part, clientName);
    // Whoever waits for it sees the failure; one that nobody waits for must not end the process.
    received.catch(() => {});
    this.#received.push(received);
    return received;
  }

  async #discardAll(): Promise<void> {
    for (const outcome of await Promise.allSettled(this.#received)) {
      if (outcome.status === 'fulfilled') await this.parts.quarantine.discard(outcome.value.path);
    }
  }
}
