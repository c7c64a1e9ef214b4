import type { AuditEvent, AuditEventStore } from '../../stores/audit-events.ts';
import type { Cancel, Clock } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';

/** Where the events are stored. */
export type AuditEventLog = Pick<AuditEventStore, 'append'>;

interface AuditWriterParts {
  auditEvents: AuditEventLog;
  clock: Clock;
  log: Logger;
  /** Called with events that are stored. */
  onStored(events: readonly AuditEvent[]): void;
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
   * @returns a promise that resolves when the first attempt to write it has ended: true if it is written. It never rejects: an event
   *   that the database does not take is tried again, or logged
   */
  add(event: AuditEvent): Promise<boolean> {
    if (this.#unwritten.isFull) {
      this.#lost += 1;
      return Promise.resolve(false);
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
      onAttempted(isWritten);
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
      const refused = await this.parts.auditEvents.append(batch);
      if (refused.events.length > 0) {
        this.parts.log.error({ err: refused.error }, 'the database refused audit events');
      }
      this.#logUnwritten(refused.events);
      this.parts.onStored(batch);
      return true;
    } catch (err) {
      this.#logStuck(err);
      return false;
    }
  }

  /** Once for each outage of the database, not for each attempt. */
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

/** An event that is not written yet. */
interface UnwrittenEvent {
  event: AuditEvent;
  isRefusal: boolean;
  /** Ends the wait for the first attempt to write it. */
  onAttempted(isWritten: boolean): void;
}

const MAX_BATCH = 500;
/** Some megabytes: how many events may wait while the database does not answer. Refusals have a bound of their own. */
const MAX_UNWRITTEN = 10_000;

/** The events that wait for a write, and the number of those in a write. Refusals come after all other events. */
class UnwrittenEvents {
  #waiting: UnwrittenEvent[] = [];
  #waitingRefusals: UnwrittenEvent[] = [];
  #refusals = 0;
  #others = 0;

  /** How many are not written yet. */
  get count(): number {
    return this.#refusals + this.#others;
  }

  /** True while refusals are not written yet. */
  get hasRefusals(): boolean {
    return this.#refusals > 0;
  }

  /** True when only refusals may be added, whose number their sender limits. */
  get isFull(): boolean {
    return this.#others >= MAX_UNWRITTEN;
  }

  /** True if events wait that are in no write. */
  get areWaiting(): boolean {
    return this.#waiting.length + this.#waitingRefusals.length > 0;
  }

  add(...added: UnwrittenEvent[]): void {
    this.#countChanges(added, 1);
    this.#waiting.push(...added.filter(({ isRefusal }) => !isRefusal));
    this.#waitingRefusals.push(...added.filter(({ isRefusal }) => isRefusal));
  }

  /** Takes the events of the next write. They count until {@link remove}. */
  take(limit = MAX_BATCH): UnwrittenEvent[] {
    const waiting = this.#waiting.splice(0, limit);
    return [...waiting, ...this.#waitingRefusals.splice(0, limit - waiting.length)];
  }

  /** Puts those of a failed write back. */
  putBack(batch: UnwrittenEvent[]): void {
    this.#waiting = [...batch.filter(({ isRefusal }) => !isRefusal), ...this.#waiting];
    this.#waitingRefusals = [...batch.filter(({ isRefusal }) => isRefusal), ...this.#waitingRefusals];
  }

  /** Ends the count of events that are written now, or given up. */
  remove(batch: UnwrittenEvent[]): void {
    this.#countChanges(batch, -1);
  }

  #countChanges(batch: UnwrittenEvent[], change: 1 | -1): void {
    const refusals = batch.filter(({ isRefusal }) => isRefusal).length;
    this.#refusals += change * refusals;
    this.#others += change * (batch.length - refusals);
  }
}
