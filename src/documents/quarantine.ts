import { createHash, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { ServiceUnavailableError } from '../system/errors.ts';
import { makePrivateFolder } from '../system/make-folder.ts';
import { systemErrorCode } from '../system/system-errors.ts';
import { listFiles } from './list-files.ts';

/** A hidden folder below the storage root. It is on the same file system, so that one rename moves a document into place. */
export const QUARANTINE_FOLDER = '.quarantine';
/** EFBIG comes from a limit on file sizes that the process was started with. */
const NO_SPACE_CODES = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EFBIG']);

/** The size of a block on most file systems. An empty file would not do: it can be made on a full disk. */
const TRIAL = Buffer.alloc(4096);

/** The place of uploads that are not accepted yet. A file that never leaves it was never accepted. */
export class Quarantine {
  readonly #folder: string;

  /**
   * @param storageRoot the folder that holds the documents
   * @param maxFileBytes the limit of a file. The rest of a longer file is read, but not written
   */
  constructor(
    storageRoot: string,
    private readonly maxFileBytes: number,
  ) {
    this.#folder = path.join(storageRoot, QUARANTINE_FOLDER);
  }

  /**
   * Makes the folder, and for a moment a file in it. Only a write shows that a disk is full or read-only, also for root.
   * @throws an error of the system, such as ENOSPC
   */
  async prepare(): Promise<void> {
    await makePrivateFolder(this.#folder);
    const trial = path.join(this.#folder, randomUUID());
    await writeFile(trial, TRIAL, { flag: 'wx', mode: 0o600 }).finally(() => this.discard(trial));
  }

  /**
   * Reads a file part to its end, in constant memory.
   * @param part the part's stream; it is always read to its end, so that the request around it never stalls
   * @param clientName the file name that the client gave
   * @throws ServiceUnavailableError if the disk is full. No failure leaves a file behind
   */
  async receive(part: Readable, clientName: string): Promise<ReceivedFile> {
    const filePath = path.join(this.#folder, randomUUID());
    // The sender may go away before the file is open. Without a listener, that error would end the process.
    part.on('error', () => {});
    const chunks = new LimitedChunks(part, this.maxFileBytes);
    try {
      // Flushed, because a registered account and its documents must survive a loss of power.
      await writeFile(filePath, chunks, { flag: 'wx', mode: 0o600, flush: true });
      const { sizeBytes, sha256 } = chunks;
      const isOverLimit = sizeBytes > this.maxFileBytes;
      return new ReceivedFile(filePath, clientName, sizeBytes, isOverLimit, sha256.digest('hex'));
    } catch (error) {
      part.resume();
      await this.discard(filePath);
      throw isOutOfSpace(error) ? new ServiceUnavailableError('no space for an upload', error) : error;
    }
  }

  /** All files in quarantine, including those that are being received. */
  async *list(): AsyncGenerator<{ path: string; modifiedAt: Date }> {
    for await (const { name, modifiedAt } of listFiles(this.#folder)) {
      yield { path: path.join(this.#folder, name), modifiedAt };
    }
  }

  /** Removes a file that was not accepted. It is no error if it does not exist. */
  async discard(filePath: string): Promise<void> {
    await rm(filePath, { force: true });
  }
}

/** A file of a multipart request that was received completely into quarantine. It is not trusted yet. */
export class ReceivedFile {
  /** Under which it is stored: that of its content, once that was checked. */
  extension = '';
  /** Receives it once more, for another place: stores move files, and a hard link would share the time by which the sweep decides. */
  copy: () => Promise<ReceivedFile> = async () => this;

  constructor(
    /** The path of the file in the quarantine folder. */
    readonly path: string,
    /** The name that the client gave. It is not trusted, and never stored. */
    readonly clientName: string,
    readonly sizeBytes: number,
    /** True if the sender sent more than the limit. The file in quarantine is then incomplete. */
    readonly isOverLimit: boolean,
    /** Of its content, in hex. */
    readonly sha256: string,
  ) {}
}

/**
 * The chunks of a stream up to a limit; the rest is read and dropped, so that the next parts come.
 */
class LimitedChunks {
  sizeBytes = 0;
  readonly sha256 = createHash('sha256');

  constructor(
    private readonly part: Readable,
    private readonly maxBytes: number,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer> {
    // After an early exit (a full disk) the part stays open, and the rest of it is dropped.
    const chunks = this.part.iterator({ destroyOnReturn: false });
    for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) {
      this.sizeBytes += chunk.length;
      if (this.sizeBytes <= this.maxBytes) {
        this.sha256.update(chunk);
        yield chunk;
      }
    }
  }
}

const isOutOfSpace = (error: unknown): boolean => NO_SPACE_CODES.has(systemErrorCode(error) ?? '');
