import { Connection } from './connection.ts';
import { GuardError } from './guard-error.ts';
import { type Clock, MAX_EVENT_MILLIS, type SessionCache } from './session-cache.ts';
import type { Settings } from './settings.ts';

/** How long the gateway may wait for an event before it answers. So an answer comes at least so often. */
const WAIT_SECONDS = 3;
/** Without an answer for so long, nobody knows what has happened. */
const LIVE_MILLIS = 5_000;
const RETRY_MILLIS = 1_000;
/** No answer without events comes so soon. */
const SHORT_MILLIS = 100;
const TIMEOUT_MILLIS = 10_000;
/** What says that an answer about a token is not right any more. */
const TYPES = 'account.*,doctor.*,sessions.revoked,factor.*';
/** 500 events have less. */
const MAX_BYTES = 1_048_576;
const GONE = 410;

/** A part of the feed (docs/events.md of the gateway). */
interface Page {
  events: { account: { id: string } | null }[];
  next: string;
}

/**
 * Follows the events of the gateway, as long as tokens are checked, and drops the kept answers that an event is about. Neither its
 * connection nor its timers keep the process alive.
 */
export class EventFollower {
  readonly #settings: Settings;
  readonly #cache: SessionCache;
  readonly #clock: Clock;
  readonly #connection: Connection;
  #next: string | undefined;
  /** When the first answer came: what was asked before it may be older than an event that nobody has seen. */
  #followsSince = Infinity;
  #answeredAt = -Infinity;
  #usedAt = -Infinity;
  #isRunning = false;
  #isFailing = false;

  constructor(settings: Settings, cache: SessionCache, clock: Clock) {
    this.#settings = settings;
    this.#cache = cache;
    this.#clock = clock;
    this.#connection = new Connection(settings, { maxBytes: MAX_BYTES, timeoutMillis: TIMEOUT_MILLIS });
  }

  /** True if every event since this moment that the gateway has published is known. */
  knowsSince(askedAt: number): boolean {
    return askedAt >= this.#followsSince && this.#clock.elapsed() - this.#answeredAt <= LIVE_MILLIS;
  }

  /** Starts to follow, or continues. */
  use(): void {
    this.#usedAt = this.#clock.elapsed();
    if (!this.#isRunning) {
      this.#isRunning = true;
      void this.#follow();
    }
  }

  async #follow(): Promise<void> {
    // Nothing that is kept is older.
    while (this.#clock.elapsed() - this.#usedAt <= MAX_EVENT_MILLIS) {
      const began = this.#clock.elapsed();
      let pauseMillis = 0;
      try {
        const page = await this.#ask();
        this.#take(page);
        // A gateway that stops does not wait.
        const isEarly = this.#clock.elapsed() - began < SHORT_MILLIS && !page?.events.length;
        pauseMillis = isEarly ? SHORT_MILLIS : 0;
      } catch (error) {
        this.#report(error);
        pauseMillis = RETRY_MILLIS;
      }
      await (pauseMillis > 0 && new Promise((resolve) => setTimeout(resolve, pauseMillis).unref()));
    }
    this.#begin();
    this.#isRunning = false;
  }

  /** Forgets everything: the next answer is the first one. */
  #begin(): void {
    this.#next = undefined;
    this.#followsSince = Infinity;
    this.#cache.clear();
  }

  /** @throws GuardError */
  async #ask(): Promise<Page | undefined> {
    const query = new URLSearchParams({ types: TYPES });
    if (this.#next !== undefined) {
      query.set('after', this.#next);
      query.set('wait', String(WAIT_SECONDS));
    }
    const { status, text } = await this.#connection.get(`/events?${query}`);
    if (status === GONE) {
      return undefined;
    }
    if (status !== 200) {
      throw new GuardError(
        'NO_EVENTS',
        `The gateway at ${this.#settings.endpoint.origin} gives no events (${status}).`,
      );
    }
    return readPage(text);
  }

  /** @param page undefined if the place of this guard is gone */
  #take(page: Page | undefined): void {
    const now = this.#clock.elapsed();
    if (!page) {
      this.#begin();
      return;
    }
    this.#cache.drop(
      page.events.map(({ account }) => account?.id),
      now,
    );
    if (this.#next === undefined) {
      this.#followsSince = now;
    }
    this.#next = page.next;
    this.#answeredAt = now;
    this.#isFailing = false;
  }

  /** Once, until it works again. */
  #report(error: unknown): void {
    if (!this.#isFailing && error instanceof GuardError) {
      try {
        this.#settings.onError(error);
      } catch (cause) {
        process.emitWarning(`onError of the guard has failed: ${cause}`);
      }
    }
    this.#isFailing = true;
  }
}

/** @throws GuardError if it is not the gateway's */
function readPage(text: string): Page {
  try {
    const { events, next } = JSON.parse(text) as Partial<Page>;
    if (Array.isArray(events) && typeof next === 'string') {
      return { events, next };
    }
  } catch {
    // The same as an answer of another form.
  }
  throw new GuardError('INVALID_RESPONSE', 'The answer to a question about events is not the gateway’s.');
}
