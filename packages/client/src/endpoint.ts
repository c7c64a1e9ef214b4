/** The gateway's GraphQL API, or the handler of a web server that forwards to it. */
export interface Endpoint {
  /** Its address. */
  href: string;
  /** Its origin for texts, without a user name. */
  origin: string;
  /** True for an address relative to a page, outside of one: a server renders it. */
  isRelative: boolean;
}

/**
 * The address of the gateway's GraphQL API.
 * @param url the option `url`: of the gateway, or of its GraphQL API. JavaScript callers may omit it. It may be relative to the
 *   page. A server that renders the page evaluates its modules, too: there it stays relative
 * @param path of the API below the address
 * @returns or a sentence that says what is wrong. It does not quote the address, which may contain a password
 */
export function endpointOf(url: unknown, path = '/graphql'): Endpoint | { problem: string } {
  if (url === undefined || url === null) {
    return { problem: 'createAuthClient needs the option "url", the address of the gateway.' };
  }
  if (typeof url !== 'string') {
    return { problem: 'The option "url" must be a string.' };
  }
  const { location } = globalThis as { location?: { href: string } };
  const [, start, user, host, folders, query] =
    PARTS.exec(hrefOf(url || '/', location?.href ?? NO_PAGE)) ?? [];
  // "localhost:4000" is a valid URL with the scheme "localhost", and "127.0.0.1:4000" a relative one.
  if (start === undefined || host === undefined || HOST.test(url)) {
    return {
      problem:
        'The option "url" must be an address with http:// or https://, or in a page one that begins with "/".',
    };
  }
  const isRelative = host === NO_HOST;
  const origin = isRelative ? '' : `${start}${host}`;
  const folder = folders?.replace(/\/+$/, '').replace(/\/graphql$/, '') ?? '';
  const base = isRelative ? folder : `${start}${user ?? ''}${host}${folder}`;
  return { href: `${base}${path}${query ?? ''}`, origin, isRelative };
}

/** Stands for the page where there is none. No such host exists (RFC 6761). */
const NO_HOST = 'no-page.invalid';
const NO_PAGE = `https://${NO_HOST}/`;

/** Scheme, user, host, path and query. The class URL of React Native lacks the properties for them. */
const PARTS = /^(https?:\/\/)([^/?#]*@)?([^/?#@]+)([^?#]*)(.*)$/;

/** A host without a scheme. No folder of a page is likely to have such a name. */
const HOST = /^[\w-]+(?:\.[\w-]+)+(?::\d+)?(?:\/|$)/;

/** The full address; empty if it is none. */
function hrefOf(url: string, base: string): string {
  try {
    return new URL(url, base).href;
  } catch {
    return '';
  }
}
