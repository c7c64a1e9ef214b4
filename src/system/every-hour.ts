import type { Clock } from './clock.ts';

const INTERVAL_MILLIS = 3_600_000;

/** Work that runs now and every hour. */
export interface Schedule {
  /** Resolves when the first run has ended. It never rejects. */
  first: Promise<void>;
  /** Ends the schedule. A running run gets the signal, and is waited for. */
  stop(): Promise<void>;
}

/**
 * Runs work now and every hour, one run at a time.
 * @param run gets a signal that ends it early. It must not reject
 */
export function everyHour(run: (signal: AbortSignal) => Promise<void>, clock: Clock): Schedule {
  const stopping = new AbortController();
  const first = run(stopping.signal);
  let running = first;
  const runLater = () =>
    clock.after(INTERVAL_MILLIS, () => {
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
