import type { Session } from '../auth/tokens/access-tokens.ts';
import { BadRequestError, InsufficientAccessError } from '../errors/errors.ts';
import { ROLES } from '../models/account.model.ts';
import { VERIFICATION_STATUSES, type VerificationStatus } from '../models/doctor-profile.model.ts';
import { isScopeToken, UNRESTRICTED } from './presenters.ts';

/** What a proxy requires of the caller of a route. */
interface Requirements {
  /** The account has one of these roles; empty: any role. */
  roles: readonly string[];
  /** The token has all of these abilities. */
  abilities: readonly string[];
  /** The account is a doctor whom a reviewer has approved. */
  isVerified: boolean;
}

const KNOWN_ROLES: readonly string[] = Object.values(ROLES);

/**
 * Reads requirements in the form of a query: `role=doctor&ability=update&verified=true`. One that is not understood is an error, because to
 * ignore it would let too many requests through.
 * @throws BadRequestError
 */
export function readRequirements(query: string): Requirements {
  const roles: string[] = [];
  const abilities: string[] = [];
  let isVerified = false;
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'role' && KNOWN_ROLES.includes(value)) {
      roles.push(value);
    } else if (name === 'ability' && isScopeToken(value)) {
      abilities.push(value);
    } else if (name === 'verified' && value === 'true') {
      isVerified = true;
    } else {
      throw new BadRequestError(
        `Only role (${KNOWN_ROLES.join(', ')}), ability and verified=true can be required.`,
      );
    }
  }
  return { roles, abilities, isVerified };
}

/** @throws InsufficientAccessError if the role of the account or the abilities of its token are not those required */
export function refuseUnmet({ account, token }: Session, { roles, abilities }: Requirements): void {
  const hasRole = roles.length === 0 || roles.includes(account.role);
  const granted = token.abilities ?? [UNRESTRICTED];
  const hasAbilities =
    granted.includes(UNRESTRICTED) || abilities.every((ability) => granted.includes(ability));
  if (!hasRole || !hasAbilities) {
    throw new InsufficientAccessError();
  }
}

/**
 * @param verification of a doctor; undefined for other accounts
 * @throws InsufficientAccessError if the account is no verified doctor, and has to be one
 */
export function refuseUnverified(
  verification: VerificationStatus | undefined,
  { isVerified }: Requirements,
): void {
  if (isVerified && verification !== VERIFICATION_STATUSES.VERIFIED) {
    throw new InsufficientAccessError();
  }
}
