import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import { type Clock, systemClock } from '../../system/clock.ts';
import { ServiceUnavailableError } from '../../system/errors.ts';
import { DigestedFile, type DocumentDigest } from '../document-digest.ts';
import {
  type DocumentGroup,
  type DocumentSource,
  type DocumentStore,
  type DocumentTrash,
  MAX_STORE_ID_BYTES,
  type ReadRequest,
  STORE_ID_NAME,
  type StoredDocument,
  TRASH_FOLDER,
} from '../document-store.ts';
import { contentDispositionOf, contentTypeOf } from '../document-types.ts';
import type { ReceivedFile } from '../quarantine.ts';
import {
  hasRandomName,
  isStoredPath,
  newStoredPath,
  requireLegacyPath,
  requireStoredPath,
  STORED_PATH,
  toUrlPath,
} from '../stored-path.ts';
import { type AwsCredentials, type CredentialSettings, credentialsFrom } from './credentials.ts';
import { type BucketAddress, S3Client, S3Error } from './s3-client.ts';
import { listedObjects } from './s3-list.ts';
import { elementOf } from './xml.ts';

/** How to reach a bucket, and how to send documents from it. */
export interface S3Settings extends BucketAddress {
  credentials: CredentialSettings;
  /** `stream`: the gateway sends the document. `redirect`: it sends a URL of the bucket that is valid for a minute, unless its reader asks for the document itself. */
  delivery: 'stream' | 'redirect';
}

const REDIRECT_SECONDS = 60;

/** Documents as objects of an S3-compatible bucket, so that several instances share them. The key is the stored path. */
export class S3DocumentStore implements DocumentStore {
  readonly trash: S3Trash;
  readonly #client: S3Client;
  #credentials: () => Promise<AwsCredentials>;

  /** @param clock the time that requests are signed with */
  constructor(
    private readonly settings: S3Settings,
    clock: Pick<Clock, 'now'> = systemClock,
  ) {
    this.#credentials = credentialsFrom(settings.credentials, settings.region);
    this.#client = new S3Client({ address: settings, credentials: () => this.#credentials(), clock });
    this.trash = new S3Trash(this.#client, settings.bucket);
  }

  /** Credentials of Amazon's platforms renew themselves, and stay as they are. */
  takeCredentials(credentials: CredentialSettings): void {
    if (credentials) {
      this.#credentials = credentialsFrom(credentials, this.settings.region);
    }
  }

  async prepare(): Promise<void> {
    await this.#client.sendAndDrain({ method: 'HEAD' });
  }

  async keep(group: DocumentGroup, file: ReceivedFile): Promise<string> {
    const storedPath = newStoredPath(group, file.extension);
    // The size is known, so one request is enough. A multipart upload would hold parts in memory.
    await this.#put(storedPath, file.path, file.sizeBytes).catch(asUnavailable);
    await rm(file.path, { force: true });
    return storedPath;
  }

  async place(storedPath: string, sourcePath: string): Promise<DocumentDigest> {
    requireLegacyPath(storedPath);
    const source = new DigestedFile(sourcePath);
    const md5 = createHash('md5');
    for await (const chunk of source) {
      md5.update(chunk);
    }
    const digest = source.digest();
    // The server refuses other content (RFC 1864). Unlike newer checksums, all servers know this one.
    await this.#put(storedPath, sourcePath, digest.sizeBytes, { 'Content-MD5': md5.digest('base64') });
    return digest;
  }

  async open(storedPath: string): Promise<Readable | undefined> {
    requireStoredPath(storedPath);
    return unlessMissing(this.#client.send({ method: 'GET', key: storedPath }));
  }

  async remove(storedPath: string): Promise<void> {
    requireStoredPath(storedPath);
    await this.#client.sendAndDrain({ method: 'DELETE', key: storedPath }).catch(asUnavailable);
    await this.trash.remove(storedPath).catch(asUnavailable);
  }

  async readId(): Promise<string | undefined> {
    const request = { method: 'GET', key: STORE_ID_NAME } as const;
    return (await unlessMissing(this.#client.sendAndRead(request, MAX_STORE_ID_BYTES)))?.trim();
  }

  async writeId(id: string): Promise<void> {
    const body = Buffer.from(`${id}\n`);
    await this.#client.sendAndDrain({
      method: 'PUT',
      key: STORE_ID_NAME,
      headers: { 'Content-Type': 'text/plain', 'Content-Length': String(body.length) },
      body: () => Readable.from([body]),
    });
  }

  async read(storedPath: string, request: ReadRequest): Promise<DocumentSource | undefined> {
    requireStoredPath(storedPath);
    try {
      return this.settings.delivery === 'redirect' && !request.isStreamed
        ? await this.#redirect(storedPath)
        : await this.#stream(storedPath, request);
    } catch (error) {
      const status = error instanceof S3Error ? error.status : undefined;
      if (status === 404) {
        return undefined;
      }
      // The bucket has checked the conditions of the request. This is its answer, not a failure.
      if (status === 304 || status === 412) {
        return { kind: 'stream', status, headers: {}, body: undefined };
      }
      if (status === 416) {
        return await this.#unsatisfiable(storedPath);
      }
      return asUnavailable(error);
    }
  }

  async *list(group: DocumentGroup): AsyncGenerator<StoredDocument> {
    for await (const { key, storedAt, sizeBytes } of listedObjects(this.#client, `${group}/`)) {
      if (STORED_PATH.test(key)) {
        yield { path: key, storedAt, sizeBytes };
      }
    }
  }

  async close(): Promise<void> {
    this.#client.close();
  }

  async #put(
    storedPath: string,
    filePath: string,
    sizeBytes: number,
    headers: Record<string, string> = {},
  ): Promise<void> {
    await this.#client.sendAndDrain({
      method: 'PUT',
      key: storedPath,
      headers: { ...headers, 'Content-Type': contentTypeOf(storedPath), 'Content-Length': String(sizeBytes) },
      body: () => createReadStream(filePath),
    });
  }

  async #redirect(storedPath: string): Promise<DocumentSource> {
    // A URL can be signed for a missing object, too. Check first, so that a missing document gets our own answer.
    await this.#client.sendAndDrain({ method: 'HEAD', key: storedPath });
    const query = {
      // Another program may have copied the object, with a type by its extension that a browser runs.
      'response-content-type': contentTypeOf(storedPath),
      'response-content-disposition': contentDispositionOf(storedPath),
      // The URL is for one reader, even if the document is public.
      'response-cache-control': hasRandomName(storedPath)
        ? `private, max-age=${REDIRECT_SECONDS}`
        : 'private, no-cache',
    };
    return { kind: 'redirect', url: await this.#client.presign(storedPath, query, REDIRECT_SECONDS) };
  }

  async #stream(storedPath: string, request: ReadRequest): Promise<DocumentSource> {
    const headers = {
      // S3 does not support If-Range. To send the whole document is always right (RFC 9110 section 14.2).
      Range: request.ifRange === undefined ? request.range : undefined,
      'If-Match': request.ifMatch,
      'If-None-Match': request.ifNoneMatch,
      'If-Modified-Since': dateOf(request.ifModifiedSince),
      'If-Unmodified-Since': dateOf(request.ifUnmodifiedSince),
    };
    const body = await this.#client.send({ method: 'GET', key: storedPath, headers });
    const status = body.headers['content-range'] === undefined ? 200 : 206;
    return { kind: 'stream', status, headers: headersOf(storedPath, body.headers), body };
  }

  async #unsatisfiable(storedPath: string): Promise<DocumentSource> {
    const { 'content-length': sizeBytes } = await this.#client.sendAndDrain({
      method: 'HEAD',
      key: storedPath,
    });
    const headers: Record<string, string> =
      sizeBytes === undefined ? {} : { 'Content-Range': `bytes */${sizeBytes}` };
    return { kind: 'stream', status: 416, headers, body: undefined };
  }
}

const headersOf = (storedPath: string, sent: IncomingHttpHeaders): Record<string, string> => ({
  'Content-Type': contentTypeOf(storedPath),
  'Accept-Ranges': 'bytes',
  ...(sent['content-length'] !== undefined && { 'Content-Length': sent['content-length'] }),
  ...(sent['content-range'] !== undefined && { 'Content-Range': sent['content-range'] }),
  ...(sent.etag !== undefined && { ETag: sent.etag }),
  ...(sent['last-modified'] !== undefined && { 'Last-Modified': sent['last-modified'] }),
});

/** An HTTP date in the form that is sent. An invalid one counts as not sent (RFC 9110 section 13.1.3). */
function dateOf(header: string | undefined): string | undefined {
  const millis = Date.parse(header ?? '');
  return Number.isNaN(millis) ? undefined : new Date(millis).toUTCString();
}

function asUnavailable(error: unknown): never {
  throw new ServiceUnavailableError('the document store does not answer as it should', error);
}

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
