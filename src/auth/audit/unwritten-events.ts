import type { AuditEvent } from '../../stores/audit-events.ts';

/** An event that is not written yet. */
export interface UnwrittenEvent {
  event: AuditEvent;
  isRefusal: boolean;
  /** Ends the wait for the first attempt to write it. */
  onAttempted(): void;
}

const MAX_BATCH = 500;
/** Some megabytes: how many events may wait while the database is away. Refusals have a bound of their own. */
const MAX_UNWRITTEN = 10_000;

/** The events that wait for a write, and the number of those in a write. Refusals come after all other events. */
export class UnwrittenEvents {
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

  /** Takes those that a write begins with. They count until {@link remove}. */
  take(limit = MAX_BATCH): UnwrittenEvent[] {
    const waiting = this.#waiting.splice(0, limit);
    return [...waiting, ...this.#waitingRefusals.splice(0, limit - waiting.length)];
  }

  /** Puts those of a failed write back. */
  putBack(batch: UnwrittenEvent[]): void {
    this.#waiting = [...batch.filter(({ isRefusal }) => !isRefusal), ...this.#waiting];
    this.#waitingRefusals = [...batch.filter(({ isRefusal }) => isRefusal), ...this.#waitingRefusals];
  }

  /** Ends the count of those that are written now, or given up. */
  remove(batch: UnwrittenEvent[]): void {
    this.#countChanges(batch, -1);
  }

  #countChanges(batch: UnwrittenEvent[], change: 1 | -1): void {
    const refusals = batch.filter(({ isRefusal }) => isRefusal).length;
    this.#refusals += change * refusals;
    this.#others += change * (batch.length - refusals);
  }
}
