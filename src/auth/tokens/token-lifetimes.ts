import type { StoredAccessToken } from '../../stores/access-tokens.ts';

/** An access token as callers see it: with the time of its issue, its earliest certain end, and its latest known use. */
export type AccessToken = StoredAccessToken & { createdAt: Date };

/** The lifetimes of tokens. Undefined means no limit, as in the legacy service. */
export interface TokenLifetimes {
  /** From its issue, used or not (OWASP ASVS 7.3.2). */
  absoluteMillis: number | undefined;
  /** From its last use, or from its issue if it was never used (OWASP ASVS 7.3.1). */
  idleMillis: number | undefined;
}

const after = (moment: Date, millis: number | undefined): Date | null =>
  millis === undefined ? null : new Date(moment.getTime() + millis);

/**
 * The end of a token: its stored end or the end by the settings, whichever is earlier. So a setting also applies to tokens
 * that were issued before it, and to imported ones.
 * @returns null if it has no end
 */
export function endOf(
  { createdAt, expiresAt }: Pick<AccessToken, 'createdAt' | 'expiresAt'>,
  { absoluteMillis }: TokenLifetimes,
): Date | null {
  const end = after(createdAt, absoluteMillis);
  return end && expiresAt
    ? new Date(Math.min(end.getTime(), expiresAt.getTime()))
    : (end ?? expiresAt ?? null);
}

/**
 * True if a lifetime of a token is over.
 * @param token with its latest known use, and with its {@link endOf}
 * @param now milliseconds since the epoch
 */
export function isOver(token: AccessToken, { idleMillis }: TokenLifetimes, now: number): boolean {
  const { createdAt, lastUsedAt, expiresAt } = token;
  const isPast = (end: Date | null) => end !== null && end.getTime() <= now;
  return isPast(expiresAt) || isPast(after(lastUsedAt ?? createdAt, idleMillis));
}

/**
 * Longer than it takes until a use is stored. The validity of a token never depends on it. Only its removal waits, in case
 * another instance has not written a use yet.
 */
const IDLE_SLACK_MILLIS = 120_000;

/** When a token that is not used again may be removed; null if there is no idle lifetime. */
export const idleEndOf = (lastUse: Date, { idleMillis }: TokenLifetimes): Date | null =>
  after(lastUse, idleMillis === undefined ? undefined : idleMillis + IDLE_SLACK_MILLIS);
