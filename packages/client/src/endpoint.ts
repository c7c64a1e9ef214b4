/** The gateway's GraphQL API. */
export interface Endpoint {
  /** Its address. */
  href: string;
  /** Its origin for texts, without a user name. */
  origin: string;
}

/**
 * The address of the gateway's GraphQL API.
 * @param url the option `url`: of the gateway, or of its GraphQL API. JavaScript callers may omit it. In a browser it may be
 *   relative to the page
 * @returns or a sentence that says what is wrong. It does not quote the address, which may contain a password
 */
export function endpointOf(url: unknown): Endpoint | { problem: string } {
  if (url === undefined || url === null) {
    return { problem: 'createAuthClient needs the option "url", the address of the gateway.' };
  }
  if (typeof url !== 'string') {
    return { problem: 'The option "url" must be a string.' };
  }
  const { location } = globalThis as { location?: { href: string } };
  const [, start, user, host, path, query] = PARTS.exec(hrefOf(url || '/', location?.href)) ?? [];
  // "localhost:4000" is a valid URL with the scheme "localhost", and "127.0.0.1:4000" a relative one.
  if (start === undefined || host === undefined || HOST.test(url)) {
    const relative = location ? '' : ' Only in a browser may it be relative.';
    return { problem: `The option "url" must be an address with http:// or https://.${relative}` };
  }
  const base = `${start}${user ?? ''}${host}${path?.replace(/\/+$/, '').replace(/\/graphql$/, '') ?? ''}`;
  return { href: `${base}/graphql${query ?? ''}`, origin: `${start}${host}` };
}

/** Scheme, user, host, path and query. The class URL of React Native lacks the properties for them. */
const PARTS = /^(https?:\/\/)([^/?#]*@)?([^/?#@]+)([^?#]*)(.*)$/;

/** A host without a scheme. No folder of a page is likely to have such a name. */
const HOST = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)/;

/** The full address; empty if it is none. */
function hrefOf(url: string, base: string | undefined): string {
  try {
    return new URL(url, base).href;
  } catch {
    return '';
  }
}
