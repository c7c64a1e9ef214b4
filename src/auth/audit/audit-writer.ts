import { setImmediate as afterInput, setTimeout as sleep } from 'node:timers/promises';
import { boundedExchange } from '../../database/bounded-exchange.ts';
import { refusedInserts } from '../../database/database-errors.ts';
import type { AuditEvent } from '../../models/audit-event.model.ts';
import type { Clock } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';

/** The model of the events. */
export interface AuditEvents {
  insertMany(events: AuditEvent[], options: { ordered: false; lean: true }): Promise<unknown>;
}

interface WaitingEvent {
  event: AuditEvent;
  /** Ends the wait for the first attempt to write it. */
  onAttempted(): void;
}

interface AuditWriterParts {
  events: AuditEvents;
  clock: Clock;
  log: Logger;
}

/** The least time from one write to the next under load: few large writes cost less than many small ones. */
const PACE_MILLIS = 10;
const RETRY_MILLIS = 1_000;
const MAX_BATCH = 500;
/** Some megabytes: how many events may wait while the database is away. Refusals have a bound of their own. */
const MAX_WAITING = 10_000;

/**
 * Writes audit events in the order in which they were added. Only one write is under way at a time; the next write takes
 * all events that were added in the meantime (a group commit). Without load, an event costs one round trip to the
 * database; under load, many events share one.
 */
export class AuditWriter {
  readonly #waiting: WaitingEvent[] = [];
  readonly #refusals: AuditEvent[] = [];
  #lost = 0;
  #lostAndLogged = 0;
  #isStuck = false;
  #writing: Promise<void> | undefined;
  /** When the last write began, by the process's own clock. */
  #begunAt = Number.NEGATIVE_INFINITY;
  readonly #closing = new AbortController();

  constructor(private readonly parts: AuditWriterParts) {}

  /** How many events are not written yet, and how many were lost because too many were waiting. */
  get backlog(): { waiting: number; lost: number } {
    return { waiting: this.#waiting.length + this.#refusals.length, lost: this.#lost };
  }

  /** True while refusals are not written yet. */
  get hasRefusals(): boolean {
    return this.#refusals.length > 0;
  }

  /**
   * Adds an event to those to be written.
   * @returns a promise that resolves when the first attempt to write it has ended. It never rejects: an event that the
   *   database does not take is tried again, or logged
   */
  add(event: AuditEvent): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#lost += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push({ event, onAttempted: resolve });
      this.#start();
    });
  }

  /** Adds refusals, which are written after all other events. The caller limits their number. */
  addRefusals(events: AuditEvent[]): void {
    this.#refusals.push(...events);
    this.#start();
  }

  /** Writes all waiting events. Those that the database does not take, and events that are added later, go to the log. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#writing;
  }

  /** With nothing to write, {@link #writeAll} would end before its promise is kept here, and nothing would ever be written. */
  #start(): void {
    if (this.backlog.waiting > 0) {
      this.#writing ??= this.#writeAll();
    }
  }

  async #writeAll(): Promise<void> {
    while (this.backlog.waiting > 0) {
      // Acts whose database answers arrive together end together, so their events share a write.
      await afterInput();
      await this.#keepPace();
      const isWritten = await this.#writeSome();
      if (!isWritten && this.#closing.signal.aborted) {
        this.#logAll();
      } else if (!isWritten) {
        await this.#waitToRetry();
      }
    }
    // In the same tick as the last check. Otherwise an event added in between would wait for the next event.
    this.#writing = undefined;
  }

  /** In real time, because it spares the database and changes no result. Ends at the close. */
  async #keepPace(): Promise<void> {
    const millis = this.#begunAt + PACE_MILLIS - performance.now();
    if (millis > 0) {
      await sleep(millis, undefined, { signal: this.#closing.signal }).catch(() => {});
    }
    this.#begunAt = performance.now();
  }

  /** Ends at the close. */
  async #waitToRetry(): Promise<void> {
    const { signal } = this.#closing;
    await new Promise<void>((resolve) => {
      const cancel = this.parts.clock.after(RETRY_MILLIS, () => {
        signal.removeEventListener('abort', close);
        resolve();
      });
      const close = () => {
        cancel();
        resolve();
      };
      signal.addEventListener('abort', close, { once: true });
    });
  }

  /** @returns false if the events may not be written: they are tried again */
  async #writeSome(): Promise<boolean> {
    const waiting = this.#waiting.slice(0, MAX_BATCH);
    const refusals = this.#refusals.slice(0, MAX_BATCH - waiting.length);
    const isWritten = await this.#insert([...waiting.map(({ event }) => event), ...refusals]);
    for (const { onAttempted } of waiting) {
      onAttempted();
    }
    if (!isWritten) {
      return false;
    }
    this.#waiting.splice(0, waiting.length);
    this.#refusals.splice(0, refusals.length);
    this.#isStuck = false;
    this.#logLost();
    return true;
  }

  async #insert(batch: AuditEvent[]): Promise<boolean> {
    const insert = this.parts.events.insertMany(batch, { ordered: false, lean: true });
    try {
      await boundedExchange(insert, this.parts.clock);
      return true;
    } catch (err) {
      // Events of an earlier attempt without an answer may be stored already. That is no refusal.
      const refused = refusedInserts(err);
      if (refused === undefined) {
        this.#logStuck(err);
        return false;
      }
      if (refused.length > 0) {
        this.parts.log.error({ err }, 'the database refused audit events');
      }
      this.#logUnwritten(batch.filter((_, index) => refused.includes(index)));
      return true;
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
    this.#logUnwritten([...this.#waiting.splice(0).map(({ event }) => event), ...this.#refusals.splice(0)]);
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
