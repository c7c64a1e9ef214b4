import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { ServiceUnavailableError } from '../errors/errors.ts';
import { DigestedFile } from './digested-file.ts';
import type {
  DocumentDigest,
  DocumentGroup,
  DocumentSource,
  DocumentStore,
  ReadRequest,
  StoredDocument,
} from './document-store.ts';
import { requireLegacyPath, STORED_PATH } from './document-store.ts';
import { contentDispositionOf, contentTypeOf, extensionOf } from './document-types.ts';
import type { ReceivedFile } from './received-file.ts';
import { newStoredPath } from './stored-path.ts';

/** How to reach a bucket, and how to send documents from it. */
export interface S3Settings {
  bucket: string;
  region: string;
  /** The address of the server; undefined for Amazon's. */
  endpoint: string | undefined;
  /** If undefined, Amazon's SDK looks for them, for example in the role of the machine. */
  credentials: { accessKeyId: string; secretAccessKey: string } | undefined;
  /** True if requests have the bucket in their path, not in the host name. */
  pathStyle: boolean;
  /** `stream`: the gateway sends the document. `redirect`: it sends a URL of the bucket that is valid for a minute. */
  delivery: 'stream' | 'redirect';
}

const nothing = () => {};
const SILENT = { trace: nothing, debug: nothing, info: nothing, warn: nothing, error: nothing };

const CONNECT_MILLIS = 1_000;
const SILENCE_MILLIS = 10_000;
const REDIRECT_SECONDS = 60;

/** Documents as objects of an S3-compatible bucket, so that several instances share them. The key is the stored path. */
export class S3DocumentStore implements DocumentStore {
  readonly #client: S3Client;

  constructor(private readonly settings: S3Settings) {
    const { region, endpoint, credentials, pathStyle } = settings;
    this.#client = new S3Client({
      region,
      ...(endpoint && { endpoint }),
      ...(credentials && { credentials }),
      forcePathStyle: pathStyle,
      // Errors are thrown, and logged with their request. By default the SDK also writes to the console.
      logger: SILENT,
      maxAttempts: 2,
      requestHandler: { connectionTimeout: CONNECT_MILLIS, socketTimeout: SILENCE_MILLIS },
      // Many servers other than Amazon's do not support the newer checksums.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
    });
  }

  async prepare(): Promise<void> {
    await this.#client.send(new HeadBucketCommand({ Bucket: this.settings.bucket }));
  }

  async keep(group: DocumentGroup, file: ReceivedFile): Promise<string> {
    const storedPath = newStoredPath(group, extensionOf(file.clientName));
    // The size is known, so one request is enough. A multipart upload would hold parts in memory.
    const object = {
      ...this.#keyOf(storedPath),
      Body: createReadStream(file.path),
      ContentLength: file.sizeBytes,
      ContentType: contentTypeOf(storedPath),
    };
    await this.#client.send(new PutObjectCommand(object)).catch(asUnavailable);
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
    const object = {
      ...this.#keyOf(storedPath),
      Body: createReadStream(sourcePath),
      ContentLength: digest.sizeBytes,
      // The server refuses other content (RFC 1864). Unlike newer checksums, all servers know this one.
      ContentMD5: md5.digest('base64'),
      ContentType: contentTypeOf(storedPath),
    };
    await this.#client.send(new PutObjectCommand(object));
    return digest;
  }

  async open(storedPath: string): Promise<Readable | undefined> {
    try {
      const { Body } = await this.#client.send(new GetObjectCommand(this.#keyOf(storedPath)));
      return Body as Readable;
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) {
        return undefined;
      }
      throw error;
    }
  }

  async remove(storedPath: string): Promise<void> {
    await this.#client.send(new DeleteObjectCommand(this.#keyOf(storedPath))).catch(asUnavailable);
  }

  async read(storedPath: string, request: ReadRequest): Promise<DocumentSource | undefined> {
    try {
      return this.settings.delivery === 'redirect'
        ? await this.#redirect(storedPath)
        : await this.#stream(storedPath, request);
    } catch (error) {
      const status = error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
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
    const query = { Bucket: this.settings.bucket, Prefix: `${group}/` };
    for await (const { Contents = [] } of paginateListObjectsV2({ client: this.#client }, query)) {
      for (const { Key = '', LastModified } of Contents) {
        if (LastModified && STORED_PATH.test(Key)) {
          yield { path: Key, storedAt: LastModified };
        }
      }
    }
  }

  async close(): Promise<void> {
    this.#client.destroy();
  }

  async #redirect(storedPath: string): Promise<DocumentSource> {
    const object = this.#keyOf(storedPath);
    // A URL can be signed for a missing object, too. Check first, so that a missing document gets our own answer.
    await this.#client.send(new HeadObjectCommand(object));
    const command = new GetObjectCommand({
      ...object,
      ResponseContentDisposition: contentDispositionOf(storedPath),
      // The URL is for one reader, even if the document is public.
      ResponseCacheControl: `private, max-age=${REDIRECT_SECONDS}`,
    });
    const url = await getSignedUrl(this.#client, command, { expiresIn: REDIRECT_SECONDS });
    return { kind: 'redirect', url };
  }

  async #stream(storedPath: string, request: ReadRequest): Promise<DocumentSource> {
    const { ifMatch, ifNoneMatch } = request;
    const command = new GetObjectCommand({
      ...this.#keyOf(storedPath),
      // S3 does not support If-Range. To send the whole document is always right (RFC 9110 section 14.2).
      Range: request.ifRange === undefined ? request.range : undefined,
      IfMatch: ifMatch,
      IfNoneMatch: ifNoneMatch,
      IfModifiedSince: dateOf(request.ifModifiedSince),
      IfUnmodifiedSince: dateOf(request.ifUnmodifiedSince),
    });
    const object = await this.#client.send(command);
    const status = object.ContentRange === undefined ? 200 : 206;
    return { kind: 'stream', status, headers: headersOf(storedPath, object), body: object.Body as Readable };
  }

  async #unsatisfiable(storedPath: string): Promise<DocumentSource> {
    const { ContentLength } = await this.#client.send(new HeadObjectCommand(this.#keyOf(storedPath)));
    const headers = { 'Content-Range': `bytes */${ContentLength}` };
    return { kind: 'stream', status: 416, headers, body: undefined };
  }

  #keyOf(storedPath: string) {
    return { Bucket: this.settings.bucket, Key: storedPath };
  }
}

const headersOf = (storedPath: string, object: GetObjectCommandOutput): Record<string, string> => ({
  'Content-Type': contentTypeOf(storedPath),
  'Accept-Ranges': 'bytes',
  ...(object.ContentLength !== undefined && { 'Content-Length': String(object.ContentLength) }),
  ...(object.ContentRange !== undefined && { 'Content-Range': object.ContentRange }),
  ...(object.ETag !== undefined && { ETag: object.ETag }),
  ...(object.LastModified && { 'Last-Modified': object.LastModified.toUTCString() }),
});

/** Parses an HTTP date. An invalid one counts as not sent (RFC 9110 section 13.1.3). */
function dateOf(header: string | undefined): Date | undefined {
  const millis = Date.parse(header ?? '');
  return Number.isNaN(millis) ? undefined : new Date(millis);
}

function asUnavailable(error: unknown): never {
  throw new ServiceUnavailableError('the document store does not answer as it should', error);
}
