import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import send from 'send';
import { listenOnFreePort } from '../../support/listen.ts';
import { problemOfSignature, S3_KEY } from './s3-signature.ts';

const BUCKET = 'documents';

/** What a bucket remembers of an object beside its content. */
interface StoredObject {
  etag: string;
  contentType: string | undefined;
}

/** An answer with a code of https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html. */
function refuse(res: ServerResponse, status: number, code: string): void {
  res.writeHead(status, { 'Content-Type': 'application/xml' });
  res.end(`<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code></Error>`);
}

/**
 * Starts an S3 server on loopback with one bucket, for the operations that the gateway needs. It checks signatures, times and
 * checksums, and the files of its objects have their keys as names.
 * @param hold called before each request is answered; a promise of it that never settles holds the request for ever
 */
export async function startS3Server(hold: (req: IncomingMessage) => Promise<void> = async () => {}) {
  const directory = await mkdtemp(path.join(tmpdir(), 'auth-gateway-s3-'));
  const bucket = new Bucket(path.join(directory, BUCKET));
  await mkdir(bucket.folder);
  const server = createServer((req, res) => {
    void hold(req)
      .then(() => answer(bucket, req, res))
      .catch(() => refuse(res, 500, 'InternalError'));
  });
  const endpoint = `http://127.0.0.1:${await listenOnFreePort(server)}`;
  return {
    directory,
    settings: {
      DOCUMENT_STORE: 's3',
      S3_ENDPOINT: endpoint,
      S3_BUCKET: BUCKET,
      S3_ACCESS_KEY_ID: S3_KEY.id,
      S3_SECRET_ACCESS_KEY: S3_KEY.secret,
      S3_PATH_STYLE: 'on',
    },
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function answer(bucket: Bucket, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const url = new URL(req.url ?? '', 'http://s3.test');
  const problem = problemOfSignature(req, url);
  if (problem !== undefined) {
    return refuse(res, 403, problem);
  }
  const [, bucketName, key = ''] = /^\/([^/]+)\/?(.*)$/.exec(decodeURIComponent(url.pathname)) ?? [];
  if (bucketName !== BUCKET) {
    return refuse(res, 404, 'NoSuchBucket');
  }
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  if (key === '') {
    return isRead ? bucket.list(url.searchParams, res) : refuse(res, 405, 'MethodNotAllowed');
  }
  if (isRead) {
    return bucket.read(key, req, url.searchParams, res);
  }
  if (req.method === 'PUT') {
    return bucket.put(key, req, res);
  }
  return req.method === 'DELETE' ? bucket.remove(key, res) : refuse(res, 405, 'MethodNotAllowed');
}

class Bucket {
  readonly #objects = new Map<string, StoredObject>();

  constructor(readonly folder: string) {}

  async put(key: string, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const source = req.headers['x-amz-copy-source'];
    if (source !== undefined) {
      return this.#copy(decodeURIComponent(String(source)).replace(/^\/?[^/]+\//, ''), key, res);
    }
    if (req.headers['content-length'] === undefined) {
      return refuse(res, 411, 'MissingContentLength');
    }
    const bytes = await buffer(req);
    const md5 = createHash('md5').update(bytes).digest();
    if ((req.headers['content-md5'] ?? md5.toString('base64')) !== md5.toString('base64')) {
      return refuse(res, 400, 'BadDigest');
    }
    const etag = `"${md5.toString('hex')}"`;
    await mkdir(path.dirname(this.#fileOf(key)), { recursive: true });
    await writeFile(this.#fileOf(key), bytes);
    this.#objects.set(key, { etag, contentType: req.headers['content-type'] });
    res.writeHead(200, { ETag: etag }).end();
  }

  async read(key: string, req: IncomingMessage, query: URLSearchParams, res: ServerResponse): Promise<void> {
    const object = this.#objects.get(key);
    // A test may have removed the file, as another program would remove the object.
    if (!object || !existsSync(this.#fileOf(key))) {
      return refuse(res, 404, 'NoSuchKey');
    }
    res.setHeader('ETag', object.etag);
    res.setHeader('Content-Type', object.contentType ?? 'binary/octet-stream');
    for (const header of ['Content-Type', 'Content-Disposition', 'Cache-Control']) {
      const wanted = query.get(`response-${header.toLowerCase()}`);
      if (wanted !== null) {
        res.setHeader(header, wanted);
      }
    }
    // `send` decodes it.
    send(req, encodeURIComponent(key).replaceAll('%2F', '/'), {
      root: this.folder,
      dotfiles: 'allow',
      cacheControl: false,
    })
      .on('error', ({ status }: { status: number }) => {
        refuse(res, status, status === 416 ? 'InvalidRange' : 'PreconditionFailed');
      })
      .pipe(res);
  }

  /** CopyObject within the bucket. */
  async #copy(from: string, to: string, res: ServerResponse): Promise<void> {
    const object = this.#objects.get(from);
    if (!object) {
      return refuse(res, 404, 'NoSuchKey');
    }
    await mkdir(path.dirname(this.#fileOf(to)), { recursive: true });
    await writeFile(this.#fileOf(to), await readFile(this.#fileOf(from)));
    this.#objects.set(to, object);
    res.writeHead(200, { 'Content-Type': 'application/xml' });
    const result = `<CopyObjectResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><ETag>${object.etag}</ETag></CopyObjectResult>`;
    res.end(`<?xml version="1.0" encoding="UTF-8"?>\n${result}`);
  }

  async remove(key: string, res: ServerResponse): Promise<void> {
    this.#objects.delete(key);
    await rm(this.#fileOf(key), { force: true });
    res.writeHead(204).end();
  }

  /** ListObjectsV2. The tests have fewer objects than a page. */
  async list(query: URLSearchParams, res: ServerResponse): Promise<void> {
    const keys = [...this.#objects.keys()].filter(
      (key) => key.startsWith(query.get('prefix') ?? '') && existsSync(this.#fileOf(key)),
    );
    const contents = keys.sort().map(async (key) => {
      const { mtime, size } = await stat(this.#fileOf(key));
      const text = key.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
      return `<Contents><Key>${text}</Key><LastModified>${mtime.toISOString()}</LastModified><Size>${size}</Size></Contents>`;
    });
    const page = `${(await Promise.all(contents)).join('')}<IsTruncated>false</IsTruncated>`;
    res.writeHead(200, { 'Content-Type': 'application/xml' });
    res.end(`<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult>${page}</ListBucketResult>`);
  }

  #fileOf(key: string): string {
    return path.join(this.folder, key);
  }
}
