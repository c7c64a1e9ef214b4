/** Cancels a scheduled call. It does nothing after the call. */
export type Cancel = () => void;

/** The source of time for every rule about time. The app gets one clock; tests pass one that they set. */
export interface Clock {
  /** The time of day, in milliseconds since the epoch. It may be set back. */
  now(): number;
  /** How long this process has run, in milliseconds since a fixed moment. It never goes back. */
  elapsed(): number;
  /**
   * Calls `act` once, after this process has run for `millis`. Input that has arrived by then is read first.
   * @returns a function that cancels the call
   */
  after(millis: number, act: () => void): Cancel;
}

/** The clocks of instances differ by less than this. What is further ahead was stored by a clock that was wrong. */
export const CLOCK_TOLERANCE_MILLIS = 60_000;

/** Whole seconds since the epoch (RFC 7519 section 2, NumericDate). */
export const secondsOf = (moment: Date): number => Math.floor(moment.getTime() / 1000);

/** How often the clock notes that this process runs. */
const TICK_MILLIS = 250;
/** A tick that is later than this was held up: the machine was suspended, or one long task blocked the event loop. */
const STANDSTILL_MILLIS = 500;

/**
 * The clock of the system. A standstill of this process does not count as passed time: answers have arrived meanwhile, but
 * the process could not read them. Node calls overdue timers before it reads any input, so without this rule each standstill
 * would end in a burst of refusals.
 */
class SystemClock implements Clock {
  /** The number of scheduled calls. The clock ticks only while there are any. */
  #pending = 0;
  #ticks: NodeJS.Timeout | undefined;
  #tickedAt = 0;
  #stoodStillMillis = 0;
  #latest = 0;

  now(): number {
    return Date.now();
  }

  elapsed(): number {
    const now = performance.now();
    const lateMillis = this.#ticks ? now - this.#tickedAt - TICK_MILLIS : 0;
    if (lateMillis > STANDSTILL_MILLIS) {
      this.#stoodStillMillis += lateMillis;
      this.#tickedAt = now;
    }
    // Readings before a standstill was long enough to be one have counted its beginning.
    this.#latest = Math.max(this.#latest, now - this.#stoodStillMillis);
    return this.#latest;
  }

  after(millis: number, act: () => void): Cancel {
    this.#keepTicking();
    this.#pending += 1;
    const dueAt = this.elapsed() + millis;
    let isOver = false;
    const cancel = () => {
      if (!isOver) {
        this.#pending -= 1;
      }
      isOver = true;
      clearTimeout(timer);
    };
    const call = () => {
      if (!isOver) {
        cancel();
        act();
      }
    };
    const check = () => {
      const leftMillis = dueAt - this.elapsed();
      if (leftMillis >= 1) {
        timer = setTimeout(check, leftMillis);
      } else {
        setImmediate(call);
      }
    };
    let timer = setTimeout(check, millis);
    return cancel;
  }

  #keepTicking(): void {
    if (this.#ticks) {
      return;
    }
    this.#tickedAt = performance.now();
    this.#ticks = setInterval(() => this.#tick(), TICK_MILLIS).unref();
  }

  #tick(): void {
    this.elapsed();
    this.#tickedAt = performance.now();
    if (this.#pending === 0) {
      clearInterval(this.#ticks);
      this.#ticks = undefined;
    }
  }
}

/** The one clock of this process. */
export const systemClock: Clock = new SystemClock();

/**
 * Waits.
 * @throws the reason of the signal, as soon as it is aborted
 */
export const pause = (clock: Clock, millis: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(millis, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) {
      stop();
    }
  });

const INTERVAL_MILLIS = 3_600_000;

/** Work that runs now and again and again. */
export interface Schedule {
  /** Resolves when the first run has ended. It never rejects. */
  first: Promise<void>;
  /** Ends the schedule. A running run gets the signal, and is waited for. */
  stop(): Promise<void>;
}

type Run = (signal: AbortSignal) => Promise<void>;

/** Runs work now and every hour, as {@link repeat}. */
export const everyHour = (run: Run, clock: Clock): Schedule => repeat(run, INTERVAL_MILLIS, clock);

/**
 * Runs work now and again and again, one run at a time.
 * @param run gets a signal that ends it early. It must not reject
 */
export function repeat(run: Run, intervalMillis: number, clock: Clock): Schedule {
  const stopping = new AbortController();
  const first = run(stopping.signal);
  let running = first;
  const runLater = () =>
    clock.after(intervalMillis, () => {
      running = running.then(() => run(stopping.signal));
      cancel = runLater();
    });
  let cancel = runLater();
  return {
    first,
    stop: async () => {
      cancel();
      stopping.abort();
      await running;
    },
  };
}
