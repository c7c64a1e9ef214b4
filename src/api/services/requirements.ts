import type { Requirements } from '../../auth/services/forward-authentication.ts';
import { ROLES } from '../../stores/accounts.ts';
import { BadRequestError } from '../../system/errors/errors.ts';
import { isScopeToken } from './presenters.ts';

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
