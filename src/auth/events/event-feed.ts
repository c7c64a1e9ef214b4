import {
  type EventPlace,
  type EventStore,
  FIRST_PLACE,
  placeOf,
  type StoredEvent,
} from '../../stores/events.ts';
import type { Cancel, Clock } from '../../system/clock.ts';
import { BadRequestError, TooManyAttemptsError } from '../../system/errors.ts';

interface EventFeedParts {
  events: Pick<EventStore, 'after' | 'lastPlace'>;
  clock: Clock;
}

/** What a service asks for. */
export interface FeedQuery {
  /** The id of the service. */
  service: string;
  /** As an earlier answer had it; undefined: begin now. */
  after: string | undefined;
  /** True for a type that the service wants, and may read. */
  isWanted(type: StoredEvent['type']): boolean;
  /** How long to wait for the first row, in seconds. */
  waitSeconds: number;
  /** Called with the time of each wait. */
  onWaited?(millis: number): void;
}

/** A part of the feed. */
export interface FeedPage {
  events: StoredEvent[];
  /** For the next question. */
  next: string;
}

const LOOK_MILLIS = 250;
const MAX_ROWS = 500;
const MAX_WAIT_SECONDS = 30;
/** Of one service, over all its connections to this instance. */
const MAX_WAITING = 20;

/** A service that waits for a row behind its place. */
interface Waiting {
  place: EventPlace;
  wake(rows: readonly StoredEvent[] | undefined): void;
}

/** The published events, as services read them. All waiting requests of one process share one query. */
export class EventFeed {
  readonly #waiting = new Set<Waiting>();
  readonly #countOf = new Map<string, number>();
  #cancelLook: Cancel | undefined;
  #isLooking = false;

  /** @param stopping ends all waiting */
  constructor(
    private readonly parts: EventFeedParts,
    private readonly stopping: AbortSignal,
  ) {
    stopping.addEventListener('abort', () => this.#wakeAll());
  }

  /**
   * The rows behind a cursor. If there are none, it waits for one.
   * @param gone ends the wait: the service has closed the connection
   * @throws BadRequestError for what is no cursor, and (410) for one whose row is gone; TooManyAttemptsError if too many of the
   *   service wait already
   */
  async read(
    { service, after, isWanted, waitSeconds, onWaited }: FeedQuery,
    gone?: AbortSignal,
  ): Promise<FeedPage> {
    const { events, clock } = this.parts;
    let place = after === undefined ? await events.lastPlace() : placeIn(after);
    const end = clock.elapsed() + Math.min(waitSeconds, MAX_WAIT_SECONDS) * 1_000;
    let rows: readonly StoredEvent[] | undefined = await events.after(place, MAX_ROWS);
    for (;;) {
      if (!rows) {
        throw goneError();
      }
      const wanted = rows.filter(({ type }) => isWanted(type));
      const isFull = rows.length === MAX_ROWS;
      const last = rows.at(-1);
      place = last ? placeOf(last) : place;
      const remaining = end - clock.elapsed();
      if (wanted.length > 0 || isFull || remaining <= 0 || gone?.aborted || this.stopping.aborted) {
        return { events: wanted, next: cursorOf(place) };
      }
      const began = performance.now();
      const found = await this.#wait(service, place, remaining, gone);
      onWaited?.(performance.now() - began);
      rows = found ?? (await events.after(place, MAX_ROWS));
    }
  }

  /** Looks for new rows now, if anybody waits. */
  wake(): void {
    if (this.#waiting.size > 0) {
      void this.#look();
    }
  }

  /** @returns the rows behind the place, if the shared query had them; undefined: ask, for whatever reason */
  async #wait(
    service: string,
    place: EventPlace,
    millis: number,
    gone: AbortSignal | undefined,
  ): Promise<readonly StoredEvent[] | undefined> {
    const count = this.#countOf.get(service) ?? 0;
    if (count >= MAX_WAITING) {
      throw new TooManyAttemptsError(1);
    }
    this.#countOf.set(service, count + 1);
    try {
      return await new Promise((resolve) => {
        const end = () => waiting.wake(undefined);
        const cancel = this.parts.clock.after(millis, end);
        gone?.addEventListener('abort', end, { once: true });
        const waiting: Waiting = {
          place,
          wake: (rows) => {
            cancel();
            gone?.removeEventListener('abort', end);
            this.#waiting.delete(waiting);
            resolve(rows);
          },
        };
        this.#waiting.add(waiting);
        this.#lookLater();
      });
    } finally {
      this.#countOf.set(service, (this.#countOf.get(service) ?? 1) - 1);
    }
  }

  #lookLater(): void {
    this.#cancelLook ??= this.parts.clock.after(LOOK_MILLIS, () => {
      this.#cancelLook = undefined;
      this.wake();
    });
  }

  /** One query, from the lowest place of all waiting requests. */
  async #look(): Promise<void> {
    if (this.#isLooking) {
      return;
    }
    this.#isLooking = true;
    try {
      const [first, ...others] = [...this.#waiting].map(({ place }) => place);
      const from = others.reduce(
        (one, other) => (other.position < one.position ? other : one),
        first ?? FIRST_PLACE,
      );
      const rows = await this.parts.events.after(from, MAX_ROWS);
      for (const waiting of [...this.#waiting]) {
        const behind = rows?.filter(({ _id }) => _id > waiting.place.position);
        if (!behind || behind.length > 0) {
          waiting.wake(waiting.place.position < from.position ? undefined : behind);
        }
      }
    } catch {
      // Each of them asks the database itself, and gets its error.
      this.#wakeAll();
    } finally {
      this.#isLooking = false;
    }
    if (this.#waiting.size > 0) {
      this.#lookLater();
    }
  }

  #wakeAll(): void {
    for (const { wake } of [...this.#waiting]) {
      wake(undefined);
    }
  }
}

const goneError = () =>
  new BadRequestError(
    'The events behind this cursor are gone. Read the state of all accounts that you know (POST /events/accounts), and begin without a cursor.',
    { status: 410 },
  );

/** A cursor is opaque to services. */
const cursorOf = ({ position, event }: EventPlace): string =>
  Buffer.from(`${position} ${event}`).toString('base64url');

const PLACE = /^(0|[1-9]\d{0,14}) (.*)$/s;
/** The event of an erasure has the id of the account in it. */
const MAX_CURSOR_CHARACTERS = 1_024;

/** @throws BadRequestError */
function placeIn(cursor: string): EventPlace {
  const text = cursor.length > MAX_CURSOR_CHARACTERS ? '' : Buffer.from(cursor, 'base64url').toString();
  const [, position, event = ''] = PLACE.exec(text) ?? [];
  const place = { position: Number(position), event };
  if (position === undefined || cursorOf(place) !== cursor) {
    throw new BadRequestError('The parameter after must be a cursor of this feed.');
  }
  return place;
}
