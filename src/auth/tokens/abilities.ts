import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import type { AuditedAct } from '../../stores/audit-events.ts';

/** Stands for all abilities, as in Sanctum. */
export const UNRESTRICTED = '*';

/** Together they are no restriction: the token of a doctor's registration has them (docs/contract.md, "Access token"). */
export const ALL_ABILITIES = ['create', 'update', 'delete'] as const;

/**
 * What an act on behalf of an access token needs: nothing but a valid token, an ability, or a token without restriction. The
 * audit trail records a refusal as `audited`.
 */
export type Need =
  | { needs: 'nothing' }
  | { needs: (typeof ALL_ABILITIES)[number] | typeof UNRESTRICTED; audited: AuditedAct };

/**
 * Every act on behalf of an access token, in both APIs and for those who ask about a token, but those that state their own need
 * (`Mutates`). No act can be authorized without such a decision.
 */
const ACTS = {
  /** Also what `me` selects, and the caller's own account in a federation. */
  me: { needs: 'nothing' },
  user: { needs: 'nothing' },
  logout: { needs: 'nothing' },
  /** The proxy names what its route requires. */
  forwardAuth: { needs: 'nothing' },
  myTokens: { needs: UNRESTRICTED, audited: 'reading' },
  exportMyData: { needs: UNRESTRICTED, audited: 'data export' },
  doctorsForReview: { needs: UNRESTRICTED, audited: 'review' },
  doctorForReview: { needs: UNRESTRICTED, audited: 'review' },
  decideOnDoctor: { needs: UNRESTRICTED, audited: 'review' },
  requestEmailVerification: { needs: 'update', audited: 'e-mail proof request' },
  changeEmail: { needs: UNRESTRICTED, audited: 'e-mail change request' },
  myTwoFactor: { needs: UNRESTRICTED, audited: 'reading' },
  enableTwoFactor: { needs: UNRESTRICTED, audited: 'second factor setup' },
  confirmTwoFactor: { needs: UNRESTRICTED, audited: 'second factor confirmation' },
  disableTwoFactor: { needs: UNRESTRICTED, audited: 'second factor removal' },
  renewRecoveryCodes: { needs: UNRESTRICTED, audited: 'recovery codes' },
  stepUp: { needs: 'nothing' },
  passkeyConfirmOptions: { needs: 'nothing' },
  passkeyAddOptions: { needs: UNRESTRICTED, audited: 'passkey setup' },
  addPasskey: { needs: UNRESTRICTED, audited: 'passkey addition' },
  myPasskeys: { needs: UNRESTRICTED, audited: 'reading' },
  renamePasskey: { needs: UNRESTRICTED, audited: 'passkey renaming' },
  removePasskey: { needs: UNRESTRICTED, audited: 'passkey removal' },
  changePassword: { needs: 'update', audited: 'password change' },
  updateMyProfile: { needs: 'update', audited: 'correction' },
  resubmitDocuments: { needs: 'update', audited: 'resubmission' },
  revokeToken: { needs: 'delete', audited: 'revocation' },
  revokeOtherTokens: { needs: 'delete', audited: 'revocation' },
  deleteMyAccount: { needs: 'delete', audited: 'closing' },
} as const satisfies Record<string, Need>;

export type TokenAct = keyof typeof ACTS;

type Abilities = StoredAccessToken['abilities'] | undefined;

/** True if a token has an ability: Sanctum's `tokenCan`. Without stored abilities it has all. */
export const hasAbility = (abilities: Abilities, ability: string): boolean =>
  (abilities ?? [UNRESTRICTED]).some((one) => one === ability || one === UNRESTRICTED);

/** What an act needs. */
export const needOf = (act: TokenAct | Need): Need => (typeof act === 'string' ? ACTS[act] : act);

/**
 * Checks whether a token may do an act here.
 * @returns undefined if it may; otherwise what it lacks, and as which act the refusal is recorded
 */
export function missingAbility(
  act: TokenAct | Need,
  abilities: Abilities,
): { audited: AuditedAct; reason: string } | undefined {
  const need = needOf(act);
  const isUnrestricted = ALL_ABILITIES.every((ability) => hasAbility(abilities, ability));
  if (isUnrestricted || need.needs === 'nothing' || hasAbility(abilities, need.needs)) {
    return undefined;
  }
  const { audited, needs } = need;
  return {
    audited,
    reason: needs === UNRESTRICTED ? 'the token is restricted' : `the token lacks the ability ${needs}`,
  };
}
