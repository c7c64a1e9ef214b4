import type { StoredAccessToken } from '../../models/access-token.model.ts';

/** How long tokens live; undefined means without end, as the legacy service's. */
export interface TokenLifetimes {
  /** From its issue, however much it is used (OWASP ASVS 7.3.2). */
  absoluteMillis: number | undefined;
  /** From its last use, or from its issue where it has not been used (OWASP ASVS 7.3.1). */
  idleMillis: number | undefined;
}

const after = (moment: Date, millis: number | undefined): Date | null =>
  millis === undefined ? null : new Date(moment.getTime() + millis);

/**
 * The latest moment at which a token can still be valid: what was stored with it or what the settings say, whichever is
 * earlier. A setting therefore holds for the tokens that were issued before it, imported ones included.
 * @returns null where nothing ends it
 */
export function endOf(
  { createdAt, expiresAt }: Pick<StoredAccessToken, 'createdAt' | 'expiresAt'>,
  { absoluteMillis }: TokenLifetimes,
): Date | null {
  const end = after(createdAt, absoluteMillis);
  return end && expiresAt
    ? new Date(Math.min(end.getTime(), expiresAt.getTime()))
    : (end ?? expiresAt ?? null);
}

/**
 * True where either lifetime of a token is over.
 * @param token with the latest use that is known, and with its {@link endOf}
 * @param now milliseconds since the epoch
 */
export function isOver(token: StoredAccessToken, { idleMillis }: TokenLifetimes, now: number): boolean {
  const { createdAt, lastUsedAt, expiresAt } = token;
  const isPast = (end: Date | null) => end !== null && end.getTime() <= now;
  return isPast(expiresAt) || isPast(after(lastUsedAt ?? createdAt, idleMillis));
}

/**
 * Longer than it takes until a use is stored. Whether a token is valid never depends on it: only its removal waits, so
 * that a token is not removed for a use that another instance has yet to write.
 */
const IDLE_SLACK_MILLIS = 120_000;

/** When a token that is not used again may be removed; null where being idle does not end it. */
export const idleEndOf = (lastUse: Date, { idleMillis }: TokenLifetimes): Date | null =>
  after(lastUse, idleMillis === undefined ? undefined : idleMillis + IDLE_SLACK_MILLIS);
