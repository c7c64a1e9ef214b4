import { createHash } from 'node:crypto';
import type { Session } from './types.ts';

/** Two clocks, in milliseconds. */
export interface Clock {
  /** The time since 1970, for the expiry of tokens. */
  now(): number;
  /** A time that nobody sets, for durations. */
  elapsed(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };

/** The clocks of the gateway and of a service differ by less than this (RFC 7519 section 4.1.4). */
export const MAX_SKEW_MILLIS = 60_000;

/** How long an answer is kept while all events are known. */
export const MAX_EVENT_MILLIS = 60_000;

/** About 10 MB. */
const MAX_SESSIONS = 10_000;

interface Entry {
  session: Session;
  /** When the question was sent, on the clock's `elapsed`. */
  askedAt: number;
  /** When the token ends, on the same clock. */
  endsAt: number;
}

/**
 * Keeps the sessions of valid tokens for a short time. It does not keep the tokens: the key is their SHA-256. That a token is
 * not valid is not kept, because bad tokens cost nothing to make, and would push the good ones out.
 */
export class SessionCache {
  readonly #entries = new Map<string, Entry>();
  /** When events have come, by account; undefined: about all accounts. */
  readonly #droppedAt = new Map<string | undefined, number>();
  readonly #maxMillis: (askedAt: number) => number;
  readonly #clock: Clock;
  readonly #maxSessions: number;

  /** @param maxMillis how long an answer may be used that was asked for at a moment */
  constructor(maxMillis: (askedAt: number) => number, clock: Clock, maxSessions = MAX_SESSIONS) {
    this.#maxMillis = maxMillis;
    this.#clock = clock;
    this.#maxSessions = maxSessions;
  }

  get(token: string): Session | undefined {
    const key = digest(token);
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    const { session, askedAt, endsAt } = entry;
    if (this.#clock.elapsed() < Math.min(askedAt + this.#maxMillis(askedAt), endsAt)) {
      return session;
    }
    this.#entries.delete(key);
    return undefined;
  }

  /**
   * Keeps a session, but not beyond its expiry, and not if something has happened since the question.
   * @param askedAt when the question was sent, on the clock's `elapsed`. A token may be revoked just after its check
   */
  set(token: string, session: Session, askedAt: number): void {
    const { expiresAt, accountId } = session;
    const droppedAt = Math.max(
      this.#droppedAt.get(accountId) ?? -Infinity,
      this.#droppedAt.get(undefined) ?? -Infinity,
    );
    if (droppedAt >= askedAt) {
      return;
    }
    const left = expiresAt === undefined ? Infinity : expiresAt.getTime() - this.#clock.now();
    const endsAt = this.#clock.elapsed() + left;
    const key = digest(token);
    // A map keeps the order of insertion: its first entry is the oldest one.
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#maxSessions && oldest !== undefined) {
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { session, askedAt, endsAt });
  }

  /**
   * Drops the sessions of an account. Answers that were asked for before are not kept any more.
   * @param accountId undefined: of all accounts
   * @param now on the clock's `elapsed`
   */
  drop(accountId: string | undefined, now: number): void {
    for (const [key, { session }] of this.#entries) {
      if (accountId === undefined || session.accountId === accountId) {
        this.#entries.delete(key);
      }
    }
    for (const [id, at] of this.#droppedAt) {
      // No question takes that long.
      if (now - at > MAX_EVENT_MILLIS) {
        this.#droppedAt.delete(id);
      }
    }
    this.#droppedAt.set(accountId, now);
  }

  clear(): void {
    this.#entries.clear();
  }
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');
