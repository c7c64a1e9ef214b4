import { isIP } from 'node:net';

/** Where a bucket is. */
export interface BucketAddress {
  bucket: string;
  region: string;
  /** The address of the server; undefined for Amazon's. */
  endpoint: string | undefined;
  /** True if requests have the bucket in their path, not in the host name. */
  pathStyle: boolean;
}

/** Amazon's domain for a region. */
export const domainOf = (region: string): string =>
  region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';

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

/** A name with a dot in it does not fit the certificate of the server, and an address has no subdomains. */
const fitsHostName = (bucket: string, { protocol, hostname }: URL): boolean =>
  /^[a-z0-9][a-z0-9.-]*$/.test(bucket) &&
  !(protocol === 'https:' && bucket.includes('.')) &&
  isIP(hostname.replace(/^\[|\]$/g, '')) === 0;
