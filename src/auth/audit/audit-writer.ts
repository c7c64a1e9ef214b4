import type { AuditEvent, AuditEventStore } from '../../stores/audit-events.ts';
import type { Cancel, Clock } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import { type UnwrittenEvent, UnwrittenEvents } from './unwritten-events.ts';

/** Where the events are stored. */
export type AuditEventLog = Pick<AuditEventStore, 'append'>;

interface AuditWriterParts {
  events: AuditEventLog;
  clock: Clock;
  log: Logger;
}

/** While the database answers one, it can take the next. One at a time, logouts would be a fifth slower. */
const MAX_WRITES = 4;
const RETRY_MILLIS = 1_000;

/**
 * Writes audit events, a few writes at a time. Each takes all events that wait (a group commit). Without load, an event costs
 * one round trip to the database; under load, many events share one.
 */
export class AuditWriter {
  readonly #unwritten = new UnwrittenEvents();
  #writes = 0;
  #isStarting = false;
  #cancelRetry: Cancel | undefined;
  #isStuck = false;
  #lost = 0;
  #lostAndLogged = 0;
  #isClosing = false;
  #onAllWritten = () => {};

  constructor(private readonly parts: AuditWriterParts) {}

  /** How many events are not written yet, and how many were lost because too many were waiting. */
  get backlog(): { waiting: number; lost: number } {
    return { waiting: this.#unwritten.count, lost: this.#lost };
  }

  /** True while refusals are not written yet. */
  get hasRefusals(): boolean {
    return this.#unwritten.hasRefusals;
  }

  /**
   * Adds an event to those to be written.
   * @returns a promise that resolves when the first attempt to write it has ended. It never rejects: an event that the
   *   database does not take is tried again, or logged
   */
  add(event: AuditEvent): Promise<void> {
    if (this.#unwritten.isFull) {
      this.#lost += 1;
      return Promise.resolve();
    }
    return new Promise((onAttempted) => {
      this.#unwritten.add({ event, isRefusal: false, onAttempted });
      this.#start();
    });
  }

  /** Adds refusals, which are written after all other events. The caller limits their number. */
  addRefusals(events: AuditEvent[]): void {
    this.#unwritten.add(...events.map((event) => ({ event, isRefusal: true, onAttempted: () => {} })));
    this.#start();
  }

  /** Writes all waiting events. Those that the database does not take, and events that are added later, go to the log. */
  close(): Promise<void> {
    this.#isClosing = true;
    this.#cancelRetry?.();
    this.#cancelRetry = undefined;
    return new Promise((resolve) => {
      this.#onAllWritten = resolve;
      this.#next();
    });
  }

  /** Starts a write, if there is something to write and it may be written now. */
  #start(): void {
    const isFree = !this.#isStarting && this.#writes < MAX_WRITES && this.#cancelRetry === undefined;
    if (isFree && this.#unwritten.areWaiting) {
      this.#isStarting = true;
      // Acts whose database answers arrive together end together, so their events share a write.
      setImmediate(() => {
        this.#isStarting = false;
        const batch = this.#unwritten.take();
        if (batch.length > 0) {
          void this.#write(batch).then(() => this.#next());
        }
      });
    }
  }

  #next(): void {
    this.#start();
    if (this.#unwritten.count === 0) {
      this.#onAllWritten();
    }
  }

  async #write(batch: UnwrittenEvent[]): Promise<void> {
    this.#writes += 1;
    const isWritten = await this.#insert(batch.map(({ event }) => event));
    this.#writes -= 1;
    for (const { onAttempted } of batch) {
      onAttempted();
    }
    if (isWritten) {
      this.#isStuck = false;
      this.#unwritten.remove(batch);
      this.#logLost();
    } else {
      this.#unwritten.putBack(batch);
      this.#tryAgain();
    }
  }

  /** The database is given some time. At the close there is none left. */
  #tryAgain(): void {
    if (this.#isClosing) {
      this.#logAll();
    } else {
      this.#cancelRetry ??= this.parts.clock.after(RETRY_MILLIS, () => {
        this.#cancelRetry = undefined;
        this.#start();
      });
    }
  }

  async #insert(batch: AuditEvent[]): Promise<boolean> {
    try {
      const refused = await this.parts.events.append(batch);
      if (refused.events.length > 0) {
        this.parts.log.error({ err: refused.error }, 'the database refused audit events');
      }
      this.#logUnwritten(refused.events);
      return true;
    } catch (err) {
      this.#logStuck(err);
      return false;
    }
  }

  /** Once for each time that the database is away, not for each attempt. */
  #logStuck(err: unknown): void {
    if (!this.#isStuck) {
      this.parts.log.warn({ err }, 'audit events wait for the database');
    }
    this.#isStuck = true;
  }

  #logAll(): void {
    const batch = this.#unwritten.take(Number.POSITIVE_INFINITY);
    this.#unwritten.remove(batch);
    this.#logUnwritten(batch.map(({ event }) => event));
    this.#logLost();
  }

  #logUnwritten(events: AuditEvent[]): void {
    for (const event of events) {
      this.parts.log.error({ event }, 'an audit event was not written');
    }
  }

  #logLost(): void {
    const lost = this.#lost - this.#lostAndLogged;
    if (lost === 0) {
      return;
    }
    this.parts.log.error({ lost }, 'audit events were lost while the database was away');
    this.#lostAndLogged = this.#lost;
  }
}
