import { setImmediate as afterInput } from 'node:timers/promises';
import type { Cancel, Clock } from '../../src/system/clock.ts';

interface Call {
  dueAt: number;
  act: () => void;
}

const RUN_STEP_MILLIS = 100;

/** A clock that stands still until a test advances it. */
export class ManualClock implements Clock {
  #now: number;
  #elapsed = 0;
  readonly #calls = new Set<Call>();

  /** @param now the time of day */
  constructor(now = new Date('2026-01-31T12:00:00Z')) {
    this.#now = now.getTime();
  }

  now(): number {
    return this.#now;
  }

  elapsed(): number {
    return this.#elapsed;
  }

  after(millis: number, act: () => void): Cancel {
    const call = { dueAt: this.#elapsed + millis, act };
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }

  /** The number of scheduled calls. */
  get pending(): number {
    return this.#calls.size;
  }

  /** The time until the next call; Infinity if none is scheduled. */
  get millisToNext(): number {
    return Math.min(...[...this.#calls].map(({ dueAt }) => dueAt - this.#elapsed));
  }

  /** Sets only the time of day, as an operator sets the clock of a machine. */
  set(now: Date | number): void {
    this.#now = Number(now);
  }

  /** Moves the time of day alone ahead, or back with a negative number. */
  move(millis: number): void {
    this.#now += millis;
  }

  /**
   * Lets time pass, and makes the calls that are due, in their order. If none are due, the time has passed when this returns;
   * otherwise when its promise resolves. Work that a call starts can run before the next call.
   */
  async advance(millis: number): Promise<void> {
    const end = this.#elapsed + millis;
    while (this.#nextUntil(end)) {
      // Work that is ready to run may cancel the call.
      await afterInput();
      this.#makeCall(this.#nextUntil(end));
      await afterInput();
    }
    this.#passTo(end);
  }

  /**
   * Lets time pass as in reality.
   * @returns a function that stops the clock again
   */
  run(): () => void {
    const timer = setInterval(() => void this.advance(RUN_STEP_MILLIS), RUN_STEP_MILLIS);
    return () => clearInterval(timer);
  }

  #makeCall(call: Call | undefined): void {
    if (call) {
      this.#passTo(call.dueAt);
      this.#calls.delete(call);
      call.act();
    }
  }

  #nextUntil(end: number): Call | undefined {
    const due = [...this.#calls].filter(({ dueAt }) => dueAt <= end);
    return due.sort((one, another) => one.dueAt - another.dueAt)[0];
  }

  #passTo(elapsed: number): void {
    const millis = Math.max(0, elapsed - this.#elapsed);
    this.#elapsed += millis;
    this.#now += millis;
  }
}
