import { type DocumentTrash, type StoredDocument, TRASH_FOLDER } from '../document-store.ts';
import { isStoredPath, toUrlPath } from '../stored-path.ts';
import type { S3Client } from './s3-client.ts';
import { S3Error } from './s3-error.ts';
import { listedObjects } from './s3-list.ts';
import { elementOf } from './xml.ts';

const PREFIX = `${TRASH_FOLDER}/`;
/** Far more than the answer to a copy has. */
const MAX_ANSWER_BYTES = 65_536;

/** The trash of documents in a bucket: a prefix of their keys. S3 has no rename, so a move is a copy and a removal. */
export class S3Trash implements DocumentTrash {
  /** @param bucket the bucket of the client */
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  async put(storedPath: string): Promise<void> {
    await this.#move(storedPath, PREFIX + storedPath);
  }

  async restore(storedPath: string): Promise<boolean> {
    return !(await this.#exists(storedPath)) && (await this.#move(PREFIX + storedPath, storedPath));
  }

  remove(storedPath: string): Promise<void> {
    return this.#remove(PREFIX + storedPath);
  }

  async *list(): AsyncGenerator<StoredDocument> {
    for await (const { key, storedAt, sizeBytes } of listedObjects(this.client, PREFIX)) {
      const storedPath = key.slice(PREFIX.length);
      if (isStoredPath(storedPath)) {
        yield { path: storedPath, storedAt, sizeBytes };
      }
    }
  }

  async #exists(key: string): Promise<boolean> {
    return (await unlessMissing(this.client.sendAndDrain({ method: 'HEAD', key }))) !== undefined;
  }

  async #remove(key: string): Promise<void> {
    await this.client.sendAndDrain({ method: 'DELETE', key });
  }

  /** @returns false if there is no such object */
  async #move(from: string, to: string): Promise<boolean> {
    // The server decodes it: https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
    const headers = { 'X-Amz-Copy-Source': `/${this.bucket}/${toUrlPath(from)}` };
    const copy = this.client.sendAndRead({ method: 'PUT', key: to, headers }, MAX_ANSWER_BYTES);
    const answer = await unlessMissing(copy);
    if (answer === undefined) {
      return false;
    }
    // A copy that fails late is answered with 200 and an error:
    // https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
    if (elementOf(answer, 'ETag') === undefined) {
      throw new Error(`the S3 server did not copy ${from}: ${elementOf(answer, 'Code') ?? 'no result'}`);
    }
    await this.#remove(from);
    return true;
  }
}

/** @returns undefined if the object does not exist */
export async function unlessMissing<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof S3Error && error.status === 404) {
      return undefined;
    }
    throw error;
  }
}
