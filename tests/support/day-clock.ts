import { type Clock, systemClock } from '../../src/system/clock.ts';

/** The system's clock, but its time of day stands still until a test sets it. For rules about dates in a whole app. */
export class DayClock implements Clock {
  #now = Date.now();

  now(): number {
    return this.#now;
  }

  /** Sets the time of day ahead, or back with a negative number. */
  move(millis: number): void {
    this.#now += millis;
  }

  elapsed(): number {
    return systemClock.elapsed();
  }

  after(millis: number, act: () => void) {
    return systemClock.after(millis, act);
  }
}
