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
  /** The keys of the entries of each account. */
  readonly #keys = new Map<string, Set<string>>();
  /** When events have come, by account, the oldest first; undefined: about all accounts. */
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
    this.#delete(key);
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
    this.#delete(key);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size >= this.#maxSessions && oldest !== undefined) {
      this.#delete(oldest);
    }
    this.#entries.set(key, { session, askedAt, endsAt });
    const keys = this.#keys.get(accountId) ?? new Set();
    this.#keys.set(accountId, keys.add(key));
  }

  /**
   * Drops the sessions of accounts. Answers that were asked for before are not kept any more. It takes a whole page of events, and
   * looks at no session of other accounts: a page has up to 500 events, and the cache 10,000 sessions.
   * @param accountIds undefined among them: the sessions of all accounts
   * @param now on the clock's `elapsed`
   */
  drop(accountIds: readonly (string | undefined)[], now: number): void {
    for (const accountId of accountIds) {
      if (accountId === undefined) {
        this.clear();
      }
      for (const key of this.#keys.get(accountId ?? '') ?? []) {
        this.#delete(key);
      }
      // To the end of the map.
      this.#droppedAt.delete(accountId);
      this.#droppedAt.set(accountId, now);
    }
    for (const [id, at] of this.#droppedAt) {
      // No question takes that long.
      if (now - at <= MAX_EVENT_MILLIS) {
        break;
      }
      this.#droppedAt.delete(id);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#keys.clear();
  }

  #delete(key: string): void {
    const { accountId = '' } = this.#entries.get(key)?.session ?? {};
    const keys = this.#keys.get(accountId);
    this.#entries.delete(key);
    if (keys?.delete(key) && keys.size === 0) {
      this.#keys.delete(accountId);
    }
  }
}

const digest = (token: string): string => createHash('sha256').update(token).digest('base64');
