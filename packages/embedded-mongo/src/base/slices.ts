import { SLICE_MILLIS } from './limits.ts';

/** What each command gets even if the slice is over: enough for a look-up, so that it need not wait behind long commands. */
const LEAST_MILLIS = 0.25;

/**
 * The time of the event loop that commands share. In each turn of the loop, new commands together have one slice, and one of
 * the commands that wait has another. Between two turns the sockets are served. So however many long commands run, another
 * client waits for about two slices, and each of them gets its turn.
 */
class Slices {
  #end = 0;
  /** A new command has begun the slice of this turn of the loop. */
  #isBegun = false;
  #isTurnDue = false;
  readonly #waiting: (() => void)[] = [];

  /** True if the command must call {@link pause} before it does more. */
  get isOver(): boolean {
    return performance.now() >= this.#end;
  }

  /** Call it before a command begins to read. */
  begin(): void {
    const now = performance.now();
    if (this.#isBegun) {
      this.#end = Math.max(this.#end, now + LEAST_MILLIS);
      return;
    }
    this.#isBegun = true;
    this.#end = now + SLICE_MILLIS;
    this.#turnLater();
  }

  /** Resolves when it is the command's turn again. Others have written meanwhile: call `Store.refresh`. */
  pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#turnLater();
    });
  }

  #turnLater(): void {
    if (!this.#isTurnDue) {
      this.#isTurnDue = true;
      setImmediate(() => this.#turn());
    }
  }

  #turn(): void {
    this.#isTurnDue = false;
    this.#isBegun = false;
    const resume = this.#waiting.shift();
    if (resume) {
      this.#end = performance.now() + SLICE_MILLIS;
      this.#turnLater();
      resume();
    }
  }
}

/** The slices of this thread: it has one event loop. */
export const slices = new Slices();
