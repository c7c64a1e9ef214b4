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

/** About 10 MB. */
const MAX_SESSIONS = 10_000;

interface Entry {
  session: Session;
  /** On the clock's `elapsed`. */
  usableUntil: number;
}

/**
 * Keeps the sessions of valid tokens for a short time. It does not keep the tokens: the key is their SHA-256. That a token is
 * not valid is not kept, because bad tokens cost nothing to make, and would push the good ones out.
 */
export class SessionCache {
  readonly #entries = new Map<string, Entry>();
  readonly #maxMillis: number;
  readonly #clock: Clock;
  readonly #maxSessions: number;

  constructor(maxMillis: number, clock: Clock, maxSessions = MAX_SESSIONS) {
    this.#maxMillis = maxMillis;
    this.#clock = clock;
    this.#maxSessions = maxSessions;
  }

  get(token: string): Session | undefined {
    const key = digest(token);
    const entry = this.#entries.get(key);
    if (entry === undefined || this.#clock.elapsed() < entry.usableUntil) {
      return entry?.session;
    }
    this.#entries.delete(key);
    return undefined;
  }

  /**
   * Keeps a session, but not beyond its expiry.
   * @param askedAt when the question was sent, on the clock's `elapsed`. A token may be revoked just after its check
   */
  set(token: string, session: Session, askedAt: number): void {
    const { expiresAt } = session;
    const left = expiresAt === undefined ? Infinity : expiresAt.getTime() - this.#clock.now();
    const usableUntil = Math.min(askedAt + this.#maxMillis, this.#clock.elapsed() + left);
    const key = digest(token);
    // A map keeps the order of insertion: its first entry is the oldest one.
    this.#entries.delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#maxSessions && oldest !== undefined) {
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { session, usableUntil });
  }
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');
