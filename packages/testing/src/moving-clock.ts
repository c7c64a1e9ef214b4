/** A call that a clock makes later. */
interface Call {
  dueAt: number;
  act: () => void;
  timer?: NodeJS.Timeout;
}

/** Timers have 31 bits. */
const MAX_TIMER_MILLIS = 2 ** 31 - 1;

/** The clock of a test gateway: it goes as usual, and a test moves it ahead. What is due by then happens at once. */
export class MovingClock {
  #aheadMillis = 0;
  readonly #calls = new Set<Call>();

  /** The time of day, in milliseconds since the epoch. */
  now(): number {
    return Date.now() + this.#aheadMillis;
  }

  /** Milliseconds since a fixed moment. */
  elapsed(): number {
    return performance.now() + this.#aheadMillis;
  }

  /** Calls `act` once, after so many milliseconds. @returns a function that cancels the call */
  after(millis: number, act: () => void): () => void {
    const call: Call = { dueAt: this.elapsed() + millis, act };
    this.#calls.add(call);
    this.#wait(call);
    return () => {
      clearTimeout(call.timer);
      this.#calls.delete(call);
    };
  }

  advance(millis: number): void {
    this.#aheadMillis += millis;
    for (const call of this.#calls) {
      clearTimeout(call.timer);
      this.#wait(call);
    }
  }

  #wait(call: Call): void {
    const millis = Math.max(0, call.dueAt - this.elapsed());
    call.timer = setTimeout(
      () => {
        if (call.dueAt > this.elapsed()) {
          return this.#wait(call);
        }
        this.#calls.delete(call);
        call.act();
      },
      Math.min(millis, MAX_TIMER_MILLIS),
    );
  }
}
