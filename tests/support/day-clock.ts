import { type Clock, systemClock } from '../../src/system/clock.ts';

/** The system's clock, but its time of day stands still until a test sets it. For rules about dates in a whole app. */
export class DayClock implements Clock {
  readonly #start = Date.now();
  #offsetMillis = 0;

  now(): number {
    return this.#start + this.#offsetMillis;
  }

  /** Moves the time of day ahead, or back with a negative number. */
  move(millis: number): void {
    this.#offsetMillis += millis;
  }

  /** Sets how far the time of day is ahead of its start. */
  setOffset(millis: number): void {
    this.#offsetMillis = millis;
  }

  elapsed(): number {
    return systemClock.elapsed();
  }

  after(millis: number, act: () => void) {
    return systemClock.after(millis, act);
  }
}
