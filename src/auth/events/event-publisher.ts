import type { AuditEventStore, UnpublishedEvent } from '../../stores/audit-events.ts';
import type { EventAccount, EventStore, StoredEvent } from '../../stores/events.ts';
import type { Cancel, Clock } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { EventAccounts } from './event-accounts.ts';

interface EventPublisherParts {
  audit: Pick<AuditTrail, 'onStored'>;
  auditEvents: Pick<AuditEventStore, 'unpublished' | 'notePublished'>;
  events: Pick<EventStore, 'lastPosition' | 'append' | 'publishedAmong'>;
  eventAccounts: Pick<EventAccounts, 'read'>;
  clock: Clock;
  log: Logger;
}

/** Other instances and commands write events, too. */
const LOOK_MILLIS = 250;
const RETRY_MILLIS = 1_000;
const BATCH_SIZE = 500;
/** Where nothing was published before, events of a year may wait. Of those, services hear of the last hour. */
const BEGINNING_MILLIS = 3_600_000;

/**
 * Gives events of the audit trail their positions, so that services can read them in an order, and miss none. Any instance publishes
 * any event, and needs neither a lease nor a clock for it: `_id` is the position, and of two rows with the same one the database
 * refuses the second.
 *
 * The time or the id of an event is no order: instances make both before they write, in parallel and again after a failure. So an instance
 * reads the events that are marked `unpublished`, then the last position, then the accounts, and inserts rows with the next positions. If the
 * database refuses a row, it reads all three again: the last row of an account has its newest state. It takes the marks away at the end; the
 * unique `event` of a row keeps one from coming twice.
 */
export class EventPublisher {
  #cancelNext: Cancel | undefined;
  #running: Promise<void> | undefined;
  #isWoken = false;
  #isStopped = true;
  #isFailing = false;
  readonly #listeners: (() => void)[] = [];

  constructor(private readonly parts: EventPublisherParts) {
    parts.audit.onStored((events) => {
      if (events.some(({ unpublished }) => unpublished)) {
        this.wake();
      }
    });
  }

  /** Adds a listener that is called when rows were published. */
  onPublished(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** @returns a function that stops it. A batch under way ends */
  start(): () => Promise<void> {
    this.#isStopped = false;
    this.wake();
    return async () => {
      this.#isStopped = true;
      this.#cancelNext?.();
      await this.#running;
    };
  }

  /** Publishes what waits, now. */
  wake(): void {
    this.#isWoken = true;
    if (!this.#isStopped && !this.#running) {
      this.#cancelNext?.();
      this.#running = this.#run().finally(() => {
        this.#running = undefined;
        // Perhaps an event was stored since the last look.
        if (this.#isWoken && !this.#isFailing) {
          this.wake();
        }
      });
    }
  }

  async #run(): Promise<void> {
    let pauseMillis = LOOK_MILLIS;
    try {
      while (this.#isWoken && !this.#isStopped) {
        this.#isWoken = false;
        // More may wait than one batch.
        this.#isWoken = (await this.#publishBatch()) || this.#isWoken;
      }
      this.#isFailing = false;
    } catch (err) {
      if (!this.#isFailing) {
        this.parts.log.warn({ err }, 'events for services wait for the database');
      }
      this.#isFailing = true;
      pauseMillis = RETRY_MILLIS;
    }
    if (!this.#isStopped) {
      this.#cancelNext = this.parts.clock.after(pauseMillis, () => this.wake());
    }
  }

  /** @returns true if more may wait */
  async #publishBatch(): Promise<boolean> {
    const { auditEvents, events } = this.parts;
    const found = await auditEvents.unpublished(BATCH_SIZE);
    let waiting = found;
    while (waiting.length > 0) {
      if (await this.#append(waiting)) {
        break;
      }
      // Another instance was faster with the position, or with the event.
      const published = await events.publishedAmong(waiting.map(({ _id }) => _id));
      waiting = waiting.filter(({ _id }) => !published.has(_id));
    }
    if (found.length === 0) {
      return false;
    }
    for (const listener of this.#listeners) {
      listener();
    }
    await auditEvents.notePublished(found.map(({ _id }) => _id));
    return found.length === BATCH_SIZE;
  }

  /**
   * The position is read before the accounts. So every row at or below it was inserted before they were read, and the last row of an
   * account always has its newest state.
   * @returns false if a row was refused
   */
  async #append(waiting: readonly UnpublishedEvent[]): Promise<boolean> {
    const { events, eventAccounts, clock } = this.parts;
    const last = await events.lastPosition();
    const since = last === 0 ? clock.now() - BEGINNING_MILLIS : 0;
    const ids = new Set(waiting.map(({ accountId }) => accountId).filter((id) => id !== null));
    const known = await eventAccounts.read([...ids]);
    const publishedAt = new Date(clock.now());
    const shown = waiting.filter(
      ({ accountId, at }) => at.getTime() >= since && (accountId === null || known.has(accountId)),
    );
    const rows = shown.map((event, index) => rowOf(event, last + 1 + index, known, publishedAt));
    return rows.length === 0 || events.append(rows);
  }
}

const rowOf = (
  { _id: event, unpublished: { type, token }, at, act: cause, accountId }: UnpublishedEvent,
  position: number,
  known: ReadonlyMap<string, EventAccount>,
  publishedAt: Date,
): StoredEvent => ({
  _id: position,
  ...{ event, type, at, cause },
  account: accountId === null ? null : (known.get(accountId) ?? null),
  token,
  publishedAt,
});
