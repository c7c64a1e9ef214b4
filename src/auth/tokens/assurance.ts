import type { StoredAccessToken } from '../../stores/access-tokens.ts';

/*
 * How sure it is that the owner of a token is who they say (NIST SP 800-63B section 2). A token has the methods that proved it
 * (RFC 8176), and the time of the last proof.
 */

export const ASSURANCE_LEVELS = ['aal1', 'aal2'] as const;
export type AssuranceLevel = (typeof ASSURANCE_LEVELS)[number];

/** Methods of authentication, as `amr` has them (RFC 8176 section 2). */
export const AMR = {
  password: ['pwd'],
  code: ['pwd', 'otp', 'mfa'],
  /** A recovery code is no one-time password of RFC 8176. */
  recoveryCode: ['pwd', 'mfa'],
  /** The key of a device, which has asked for a fingerprint, a face or a PIN. */
  passkey: ['pop', 'user', 'mfa'],
} as const satisfies Record<string, readonly string[]>;

/** What is known about the proof of a token's owner. */
export type Proven = Pick<StoredAccessToken, 'amr' | 'authTime'>;

/** What an act or a service requires of it. */
export interface AssuranceRequirement {
  acr?: AssuranceLevel | undefined;
  /** How long ago the last proof may be, in seconds. */
  maxAgeSeconds?: number | undefined;
}

/** @returns undefined if nothing is claimed: imported tokens, and those of earlier versions */
export function levelOf({ amr }: Proven): AssuranceLevel | undefined {
  if (amr?.includes('mfa')) {
    return 'aal2';
  }
  return amr?.includes('pwd') ? 'aal1' : undefined;
}

/** True if a token meets a requirement at a moment, in milliseconds since the epoch. One that claims nothing meets none. */
export function meets(token: Proven, { acr, maxAgeSeconds }: AssuranceRequirement, now: number): boolean {
  if (acr === undefined && maxAgeSeconds === undefined) {
    return true;
  }
  const level = levelOf(token);
  if (
    level === undefined ||
    (acr !== undefined && ASSURANCE_LEVELS.indexOf(level) < ASSURANCE_LEVELS.indexOf(acr))
  ) {
    return false;
  }
  const { authTime } = token;
  return (
    maxAgeSeconds === undefined ||
    (authTime !== undefined && isRecent(now - authTime.getTime(), maxAgeSeconds))
  );
}

/** Clocks of instances differ by less. One that was far ahead must not make a proof that stays recent. */
const MAX_AHEAD_MILLIS = 60_000;

const isRecent = (ageMillis: number, maxAgeSeconds: number): boolean =>
  ageMillis > -MAX_AHEAD_MILLIS && ageMillis <= maxAgeSeconds * 1000;
