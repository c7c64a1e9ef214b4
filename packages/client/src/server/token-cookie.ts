/**
 * The cookie of the access token. Browsers accept a name with `__Host-` only over HTTPS (or from localhost), for exactly this host and all of
 * its paths, so that no other host can set it (RFC 6265bis section 4.1.3.2). No script can read it.
 */
const NAME = '__Host-auth-gateway';
const ATTRIBUTES = 'Path=/; HttpOnly; Secure; SameSite=Lax';
/** Browsers keep a cookie for 400 days at most. The gateway decides how long a token is valid. */
const MAX_AGE_SECONDS = 400 * 86_400;

/** The octets of a cookie's value (RFC 6265 section 4.1.1). A token has no others. */
const VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/;

/** The access token in the cookies of a request; null if there is none. */
export function tokenIn(headers: Pick<Headers, 'get'>): string | null {
  const pairs = (headers.get('cookie') ?? '').split(';').map((pair) => pair.trim());
  const found = pairs.find((pair) => pair.startsWith(`${NAME}=`))?.slice(NAME.length + 1);
  return found && VALUE.test(found) ? found : null;
}

/** The header `Set-Cookie` that keeps a token. */
export const keeping = (token: string): string =>
  `${NAME}=${token}; ${ATTRIBUTES}; Max-Age=${MAX_AGE_SECONDS}`;

/** The header `Set-Cookie` that removes the token. */
export const forgetting = (): string => `${NAME}=; ${ATTRIBUTES}; Max-Age=0`;
