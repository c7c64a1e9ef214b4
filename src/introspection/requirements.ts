import type { Session } from '../auth/tokens/access-tokens.ts';
import { BadRequestError, InsufficientAccessError } from '../errors/errors.ts';
import { ROLES } from '../models/account.model.ts';
import { isScopeToken, UNRESTRICTED } from './presenters.ts';

/** What a proxy requires of the caller of a route. */
interface Requirements {
  /** The account has one of these roles; empty: any role. */
  roles: readonly string[];
  /** The token has all of these abilities. */
  abilities: readonly string[];
}

const KNOWN_ROLES: readonly string[] = Object.values(ROLES);

/**
 * Reads requirements in the form of a query: `role=doctor&ability=update`. One that is not understood is an error, because to
 * ignore it would let too many requests through.
 * @throws BadRequestError
 */
export function readRequirements(query: string): Requirements {
  const roles: string[] = [];
  const abilities: string[] = [];
  for (const [name, value] of new URLSearchParams(query)) {
    if (name === 'role' && KNOWN_ROLES.includes(value)) {
      roles.push(value);
    } else if (name === 'ability' && isScopeToken(value)) {
      abilities.push(value);
    } else {
      throw new BadRequestError(`Only role (${KNOWN_ROLES.join(', ')}) and ability can be required.`);
    }
  }
  return { roles, abilities };
}

/** @throws InsufficientAccessError if the account or its token does not meet the requirements */
export function refuseUnmet({ account, token }: Session, { roles, abilities }: Requirements): void {
  const hasRole = roles.length === 0 || roles.includes(account.role);
  const granted = token.abilities ?? [UNRESTRICTED];
  const hasAbilities =
    granted.includes(UNRESTRICTED) || abilities.every((ability) => granted.includes(ability));
  if (!hasRole || !hasAbilities) {
    throw new InsufficientAccessError();
  }
}
