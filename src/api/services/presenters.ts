import type { Admitted } from '../../auth/services/forward-authentication.ts';
import { UNRESTRICTED } from '../../auth/tokens/abilities.ts';
import type { Session } from '../../auth/tokens/access-tokens.ts';
import type { VerificationStatus } from '../../stores/doctors.ts';
import { UnauthenticatedError } from '../../system/errors/errors.ts';

/** A scope token (RFC 6749 section 3.3). Such a text is also safe in a header. */
const SCOPE_TOKEN = /^[\x21\x23-\x5b\x5d-\x7e]+$/;

export const isScopeToken = (text: string): boolean => SCOPE_TOKEN.test(text);

/**
 * The abilities of a token as a scope: separated by blanks. An ability that a scope cannot have is left out, so the scope
 * never grants more than the abilities.
 */
const scopeOf = ({ token: { abilities } }: Session): string =>
  abilities ? abilities.filter(isScopeToken).join(' ') : UNRESTRICTED;

/** Whole seconds since the epoch (RFC 7519 section 2, NumericDate). */
const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / 1000);

/**
 * The answer to an introspection (RFC 7662 section 2.2).
 * @param session undefined if the token is not valid. The answer does not say why
 * @param verification of a doctor; undefined for other accounts
 * @param issuer BASE_URL
 */
export function presentIntrospection(
  session: Session | undefined,
  verification: VerificationStatus | undefined,
  issuer: string,
) {
  if (!session) {
    return { active: false };
  }
  const { account, token } = session;
  return {
    active: true,
    sub: String(account.id),
    iss: issuer,
    jti: token._id,
    token_type: 'Bearer',
    scope: scopeOf(session),
    // An imported token may have no time of issue.
    ...(token.createdAt.getTime() > 0 && { iat: secondsOf(token.createdAt) }),
    ...(token.expiresAt && { exp: secondsOf(token.expiresAt) }),
    role: account.role,
    ...(verification && { verification }),
    name: account.name,
  };
}

/** An id from another program may contain anything. */
const SAFE_ID = /^[\x21-\x7e]+$/;

/**
 * The headers that a proxy passes on with the request.
 * @throws UnauthenticatedError for an account whose id does not fit into a header
 */
export function presentHeaders({ session, verification }: Admitted) {
  const { id, role } = session.account;
  if (!SAFE_ID.test(String(id))) {
    throw new UnauthenticatedError();
  }
  return {
    'X-Auth-Account': String(id),
    'X-Auth-Role': role,
    'X-Auth-Abilities': scopeOf(session),
    // Empty, not missing: Caddy would pass the name of its variable on instead.
    'X-Auth-Verification': verification ?? '',
  };
}
