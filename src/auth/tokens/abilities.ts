import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import type { AuditedAct } from '../../stores/audit-events.ts';
import type { Role } from '../../stores/roles.ts';
import type { Feature } from '../features.ts';

/** Stands for all abilities, as in Sanctum. */
export const UNRESTRICTED = '*';

/** Together they are no restriction: the token of a doctor's registration has them (docs/contract.md, "Access token"). */
export const ALL_ABILITIES = ['create', 'update', 'delete'] as const;

/**
 * What an operation needs of the access token that is presented. No operation can be authorized without such a decision: those of the
 * public API are in `api/inputs/operations.ts`.
 */
export interface Need {
  /** Any valid token, an ability, or a token without restriction. */
  needs: 'token' | (typeof ALL_ABILITIES)[number] | typeof UNRESTRICTED;
  /** As what the audit trail records a token that may not do it (OWASP ASVS 16.3.2); of `token` there is no such refusal. */
  audited?: AuditedAct;
  /** Checked first: without it there is no such operation here. */
  feature?: Feature;
  /** Whom it is for. Reviewers also prove a second factor, if the policy names them. */
  role?: Role;
}

type Abilities = StoredAccessToken['abilities'] | undefined;

/** True if a token has an ability: Sanctum's `tokenCan`. Without stored abilities it has all. */
export const hasAbility = (abilities: Abilities, ability: string): boolean =>
  (abilities ?? [UNRESTRICTED]).some((one) => one === ability || one === UNRESTRICTED);

/**
 * Checks whether a token has the abilities for an operation.
 * @returns undefined if it has; otherwise what it lacks
 */
export function missingAbility({ needs }: Need, abilities: Abilities): string | undefined {
  const isUnrestricted = ALL_ABILITIES.every((ability) => hasAbility(abilities, ability));
  if (isUnrestricted || needs === 'token' || hasAbility(abilities, needs)) {
    return undefined;
  }
  return needs === UNRESTRICTED ? 'the token is restricted' : `the token lacks the ability ${needs}`;
}
