const EXAMPLE = 'such as https://auth.example.org';

/**
 * The address of the gateway's GraphQL API.
 * @param url the option `url`. JavaScript callers may omit it. In a browser it may be relative to the page
 * @throws TypeError with a sentence that says what is wrong. It does not quote the address, which may contain a password
 */
export function endpointOf(url: unknown): URL {
  if (url === undefined || url === null) {
    throw new TypeError(`createAuthClient needs the option "url", the address of the gateway, ${EXAMPLE}.`);
  }
  if (typeof url !== 'string') {
    throw new TypeError(`The option "url" of createAuthClient must be a string, ${EXAMPLE}.`);
  }
  const { location } = globalThis as { location?: { href: string } };
  const endpoint = parsed(url || '/', location?.href);
  // "localhost:4000" is a valid URL with the scheme "localhost".
  if (endpoint?.protocol !== 'http:' && endpoint?.protocol !== 'https:') {
    const relative = location ? '' : ' Only in a browser may it be relative.';
    throw new TypeError(
      `The option "url" of createAuthClient must be an address with http:// or https://, ${EXAMPLE}.${relative}`,
    );
  }
  endpoint.pathname = `${endpoint.pathname.replace(/\/+$/, '')}/graphql`;
  return endpoint;
}

function parsed(url: string, base: string | undefined): URL | undefined {
  try {
    return new URL(url, base);
  } catch {
    return undefined;
  }
}
