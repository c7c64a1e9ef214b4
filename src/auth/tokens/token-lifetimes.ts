import type { StoredAccessToken } from '../../stores/access-tokens.ts';
import { type Role, STAFF_ROLES } from '../../stores/accounts.ts';

/** An access token as callers see it: with the time of its issue, its earliest certain end, and its latest known use. */
export type AccessToken = StoredAccessToken & {
  createdAt: Date;
  /** True if the lifetimes of staff apply. */
  isStaff: boolean;
};

/** How long tokens are valid. Undefined means no limit, as in the legacy service. */
export interface Lifetimes {
  /** From its issue, used or not (OWASP ASVS 7.3.2). */
  absoluteMillis: number | undefined;
  /** From its last use, or from its issue if it was never used (OWASP ASVS 7.3.1). */
  idleMillis: number | undefined;
}

/** The lifetimes of everybody's tokens, and those of staff, which are never longer. */
export type TokenLifetimes = Readonly<Record<'everyone' | 'staff', Lifetimes>>;

/** True if the tokens of a role have the lifetimes of staff. */
export const isStaffRole = (role: Role | undefined): boolean =>
  role !== undefined && STAFF_ROLES.includes(role);

const lifetimesOf = ({ isStaff }: Pick<AccessToken, 'isStaff'>, lifetimes: TokenLifetimes): Lifetimes =>
  isStaff ? lifetimes.staff : lifetimes.everyone;

const after = (moment: Date, millis: number | undefined): Date | null =>
  millis === undefined ? null : new Date(moment.getTime() + millis);

/**
 * The end of a token: its stored end or the end by the settings, whichever is earlier. So a setting also applies to tokens
 * that were issued before it, and to imported ones.
 * @returns null if it has no end
 */
export function endOf(
  token: Pick<AccessToken, 'createdAt' | 'expiresAt' | 'isStaff'>,
  lifetimes: TokenLifetimes,
): Date | null {
  const { createdAt, expiresAt } = token;
  const end = after(createdAt, lifetimesOf(token, lifetimes).absoluteMillis);
  return end && expiresAt
    ? new Date(Math.min(end.getTime(), expiresAt.getTime()))
    : (end ?? expiresAt ?? null);
}

/**
 * A stored token with what its record may lack.
 * @param role of its account; undefined if there is none
 */
export function toAccessToken(
  stored: StoredAccessToken,
  role: Role | undefined,
  lifetimes: TokenLifetimes,
): AccessToken {
  const token = {
    ...stored,
    // Sanctum's column may be empty. Such a token counts as the oldest, so it has expired if there is a lifetime.
    createdAt: stored.createdAt ?? new Date(0),
    // Only the role shows it for tokens of earlier versions.
    isStaff: stored.staff === true || isStaffRole(role),
  };
  return { ...token, expiresAt: endOf(token, lifetimes) };
}

/**
 * True if a lifetime of a token is over.
 * @param token with its latest known use
 * @param now milliseconds since the epoch
 */
export function isOver(token: AccessToken, lifetimes: TokenLifetimes, now: number): boolean {
  const { createdAt, lastUsedAt, expiresAt } = token;
  const isPast = (end: Date | null) => end !== null && end.getTime() <= now;
  return (
    isPast(expiresAt) || isPast(after(lastUsedAt ?? createdAt, lifetimesOf(token, lifetimes).idleMillis))
  );
}

/**
 * Longer than it takes until a use is stored. The validity of a token never depends on it. Only its removal waits, in case
 * another instance has not written a use yet.
 */
const IDLE_SLACK_MILLIS = 120_000;

/** When a token that is not used again may be removed; null if there is no idle lifetime. */
export function idleEndOf(
  token: Pick<AccessToken, 'isStaff'>,
  lastUse: Date,
  lifetimes: TokenLifetimes,
): Date | null {
  const { idleMillis } = lifetimesOf(token, lifetimes);
  return after(lastUse, idleMillis === undefined ? undefined : idleMillis + IDLE_SLACK_MILLIS);
}
