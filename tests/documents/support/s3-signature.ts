import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The key that requests are signed with. */
export const S3_KEY = { id: 'AKIATESTS', secret: 'the secret of the tests' };

const MAX_SKEW_MILLIS = 900_000;
const EMPTY_SHA256 = createHash('sha256').digest('hex');

/** What a request says about its signature. */
interface Claim {
  signature: string;
  /** `<key id>/<day>/<region>/s3/aws4_request` */
  credential: string;
  signedHeaders: string;
  /** 20260131T120000Z */
  date: string;
  contentHash: string;
  /** How long before now the date may be. */
  lifetimeMillis: number;
}

/**
 * Checks a request as Amazon does. It is written from the documentation, and shares nothing with the gateway's signer:
 * https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html, sigv4-query-string-auth.html
 * @returns the code of the refusal; undefined for a valid signature
 */
export function problemOfSignature(req: IncomingMessage, url: URL): string | undefined {
  const claim = claimOf(req, url.searchParams);
  if (!claim) {
    return 'AccessDenied';
  }
  const [id, ...scope] = claim.credential.split('/');
  if (id !== S3_KEY.id) {
    return 'InvalidAccessKeyId';
  }
  if (scope[0] !== claim.date.slice(0, 8) || scope.slice(2).join('/') !== 's3/aws4_request') {
    return 'AuthorizationHeaderMalformed';
  }
  if (signatureOf(claim, scope, canonicalRequest(req, url, claim)) !== claim.signature) {
    return 'SignatureDoesNotMatch';
  }
  const ageMillis = Date.now() - Date.parse(claim.date.replace(/^(....)(..)(.....)(..)/, '$1-$2-$3:$4:'));
  if (ageMillis < -MAX_SKEW_MILLIS || ageMillis > claim.lifetimeMillis) {
    return url.searchParams.has('X-Amz-Expires') ? 'AccessDenied' : 'RequestTimeTooSkewed';
  }
  return undefined;
}

/** Where a request has its signature: in its address, or in its headers. */
function claimOf({ headers }: IncomingMessage, query: URLSearchParams): Claim | undefined {
  const ofQuery = (name: string): string => query.get(`X-Amz-${name}`) ?? '';
  if (query.get('X-Amz-Algorithm') === 'AWS4-HMAC-SHA256') {
    return {
      signature: ofQuery('Signature'),
      credential: ofQuery('Credential'),
      signedHeaders: ofQuery('SignedHeaders'),
      date: ofQuery('Date'),
      contentHash: 'UNSIGNED-PAYLOAD',
      lifetimeMillis: Number(ofQuery('Expires')) * 1000,
    };
  }
  const parts = /^AWS4-HMAC-SHA256 Credential=(\S+?), ?SignedHeaders=(\S+?), ?Signature=(\w+)$/.exec(
    headers.authorization ?? '',
  );
  if (!parts) {
    return undefined;
  }
  const [, credential = '', signedHeaders = '', signature = ''] = parts;
  return {
    signature,
    credential,
    signedHeaders,
    date: String(headers['x-amz-date']),
    contentHash: String(headers['x-amz-content-sha256'] ?? EMPTY_SHA256),
    lifetimeMillis: MAX_SKEW_MILLIS,
  };
}

/** Percent-encodes all but the unreserved characters of RFC 3986. */
const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

function canonicalRequest({ method, headers }: IncomingMessage, url: URL, claim: Claim): string {
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`);
  const signed = claim.signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  return [
    method,
    url.pathname
      .split('/')
      .map((part) => encode(decodeURIComponent(part)))
      .join('/'),
    query.sort().join('&'),
    signed.join(''),
    claim.signedHeaders,
    claim.contentHash,
  ].join('\n');
}

function signatureOf({ date }: Claim, scope: string[], request: string): string {
  const hashed = createHash('sha256').update(request).digest('hex');
  const text = ['AWS4-HMAC-SHA256', date, scope.join('/'), hashed].join('\n');
  const sign = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest();
  return sign(scope.reduce<string | Buffer>(sign, `AWS4${S3_KEY.secret}`), text).toString('hex');
}
