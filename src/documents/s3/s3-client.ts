import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import type { Clock } from '../../system/clock.ts';
import type { AwsCredentials } from './credentials.ts';
import { S3ConnectionError, S3Http, S3SilenceError, textOf } from './s3-http.ts';
import { elementOf } from './xml.ts';

/** A request about the bucket, or about one of its objects. */
interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Undefined for the bucket itself. */
  key?: string;
  query?: Record<string, string>;
  /** Headers without a value are not sent. */
  headers?: Record<string, string | undefined>;
  /** Opens the body. Its length is in the headers. */
  body?: () => Readable;
}

interface S3ClientParts {
  address: BucketAddress;
  credentials: () => Promise<AwsCredentials>;
  clock: Pick<Clock, 'now'>;
}

const RETRY_PAUSE_MILLIS = 50;
/** Longest wait for a body that nobody needs, in milliseconds. A new connection costs less. */
const DRAIN_MILLIS = 1_000;
const RETRIED_STATUSES: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
/** A server refuses signatures of other times. Amazon allows 15 minutes. */
const MAX_SKEW_MILLIS = 300_000;
/** Years have four digits in signatures. */
const LAST_TIME = Date.UTC(9999, 0);
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/** Sends signed requests to a bucket. A request that fails for a moment is sent once more. */
export class S3Client {
  readonly #http = new S3Http();
  /** The server's time minus ours, once it has refused a request for that. */
  #skewMillis = 0;

  constructor(private readonly parts: S3ClientParts) {}

  /**
   * Sends a request.
   * @returns the answer of a success. Its body must be read or destroyed
   * @throws S3Error for any other answer, also for a redirect; S3ConnectionError; an error of the credentials
   */
  async send(request: S3Request): Promise<IncomingMessage> {
    try {
      return await this.#attempt(request);
    } catch (error) {
      if (!mayBeSentAgain(error, request)) {
        throw error;
      }
      await pause(RETRY_PAUSE_MILLIS);
      return this.#attempt(request);
    }
  }

  /** Sends a request whose answer has no body, or none of interest. @returns the headers of the answer */
  async sendAndDrain(request: S3Request): Promise<IncomingMessage['headers']> {
    const answer = await this.send(request);
    // The headers have said it all. Read to its end, the connection is free for the next request.
    const timer = setTimeout(() => answer.destroy(), DRAIN_MILLIS);
    await finished(answer.resume()).catch(() => {});
    clearTimeout(timer);
    return answer.headers;
  }

  /** Sends a request whose answer is a text. @throws Error if the text is longer than `maxBytes` */
  async sendAndRead(request: S3Request, maxBytes: number): Promise<string> {
    return textOf(await this.send(request), maxBytes);
  }

  /** An address from which anyone can read an object for a time. */
  async presign(key: string, query: Record<string, string>, lifetimeSeconds: number): Promise<string> {
    const url = urlOf(this.parts.address, key, { ...query, 'X-Amz-Expires': String(lifetimeSeconds) });
    const signed = await new AwsV4Signer({
      ...(await this.#signing()),
      method: 'GET',
      url: url.href,
      signQuery: true,
    }).sign();
    return signed.url.href;
  }

  close(): void {
    this.#http.close();
  }

  async #attempt({ method, key, query = {}, headers = {}, body }: S3Request): Promise<IncomingMessage> {
    const url = urlOf(this.parts.address, key, query);
    const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
    // A body is a stream, whose hash is not known before it has been sent.
    const contentHash = body ? 'UNSIGNED-PAYLOAD' : EMPTY_SHA256;
    const signed = await new AwsV4Signer({
      ...(await this.#signing()),
      method,
      url: url.href,
      headers: { ...Object.fromEntries(sent), 'X-Amz-Content-Sha256': contentHash },
    }).sign();
    const answer = await this.#http.send({
      method,
      url: signed.url,
      headers: { ...Object.fromEntries(signed.headers), Host: url.host },
      body: body?.(),
    });
    const { statusCode: status = 0 } = answer;
    if (status >= 200 && status < 300) {
      return answer;
    }
    const error = await readError(answer);
    error.clockCorrected = error.status === 403 && this.#correctClock(answer.headers.date);
    throw error;
  }

  async #signing() {
    const { address, credentials, clock } = this.parts;
    const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
    const now = new Date(clock.now() + this.#skewMillis);
    return {
      accessKeyId,
      secretAccessKey,
      ...(sessionToken !== undefined && { sessionToken }),
      service: 's3',
      region: address.region,
      // 20260131T120000Z
      datetime: now.toISOString().replace(/[:-]|\.\d{3}/g, ''),
    };
  }

  /** @returns true if our time was wrong */
  #correctClock(date: string | undefined): boolean {
    const now = this.parts.clock.now();
    const skewMillis = Date.parse(date ?? '') - now;
    const isOff = Math.abs(skewMillis - this.#skewMillis) >= MAX_SKEW_MILLIS;
    // Signatures cannot say later times, so one such date would spoil all requests to come.
    if (!isOff || now + skewMillis > LAST_TIME) {
      return false;
    }
    this.#skewMillis = skewMillis;
    return true;
  }
}

/** A body is sent again only if the server cannot have stored it. */
function mayBeSentAgain(error: unknown, { body }: S3Request): boolean {
  if (error instanceof S3ConnectionError) {
    // Somebody has waited long enough.
    if (error.cause instanceof S3SilenceError) {
      return false;
    }
    return body === undefined || error.wasReused;
  }
  if (error instanceof S3Error) {
    return error.clockCorrected || (RETRIED_STATUSES.has(error.status) && body === undefined);
  }
  return false;
}

/** Where a bucket is. */
export interface BucketAddress {
  bucket: string;
  region: string;
  /** The address of the server; undefined for Amazon's. */
  endpoint: string | undefined;
  /** True if requests have the bucket in their path, not in the host name. */
  pathStyle: boolean;
}

/**
 * The address of an object or, without a key, of the bucket.
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/VirtualHosting.html
 */
export function urlOf(address: BucketAddress, key: string | undefined, query: Record<string, string>): URL {
  const { bucket, region, endpoint, pathStyle } = address;
  const url = new URL(endpoint ?? `https://s3.${region}.${domainOf(region)}`);
  const parts = url.pathname.split('/').filter(Boolean);
  if (pathStyle || !fitsHostName(bucket, url)) {
    parts.push(bucket);
  } else {
    url.host = `${bucket}.${url.host}`;
  }
  url.pathname = `/${[...parts, ...(key === undefined ? [] : key.split('/'))].map(encodeURIComponent).join('/')}`;
  url.search = new URLSearchParams(query).toString();
  return url;
}

/** Amazon's domain for a region. */
const domainOf = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';

/** A name with a dot in it does not fit the certificate of the server, and an address has no subdomains. */
const fitsHostName = (bucket: string, { protocol, hostname }: URL): boolean =>
  /^[a-z0-9][a-z0-9.-]*$/.test(bucket) &&
  !(protocol === 'https:' && bucket.includes('.')) &&
  isIP(hostname.replace(/^\[|\]$/g, '')) === 0;

/** Far more than any error has. */
const MAX_ERROR_BYTES = 65_536;

/** An answer of the server other than success. */
export class S3Error extends Error {
  /** True if the request was refused for its time, and the next one will have the right one. */
  clockCorrected = false;

  /**
   * @param status the HTTP status
   * @param code the server's name of the error, such as `NoSuchBucket`; answers to HEAD have none
   */
  constructor(
    readonly status: number,
    code: string | undefined,
  ) {
    super(`the S3 server answered ${status}${code === undefined ? '' : ` (${code})`}`);
    this.name = code ?? 'S3Error';
  }
}

/** Reads an answer that is no success, and ends it. Only the code of the error is kept: the rest may contain the access key. */
async function readError(answer: IncomingMessage): Promise<S3Error> {
  const status = answer.statusCode ?? 0;
  const text = await textOf(answer, MAX_ERROR_BYTES).catch(() => '');
  // An upload may still be under way on this connection.
  answer.destroy();
  const code = elementOf(text, 'Code');
  return new S3Error(status, code !== undefined && /^[\w.]{1,64}$/.test(code) ? code : undefined);
}
