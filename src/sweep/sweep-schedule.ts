import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import type { Sweep, Swept } from './sweep.ts';

const INTERVAL_MILLIS = 3_600_000;

/** A running schedule. */
export interface SweepSchedule {
  /** Resolves when the first sweep has ended. It never rejects. */
  first: Promise<void>;
  /** Ends the schedule. A running sweep ends after its current removal. */
  stop(): Promise<void>;
}

/** Sweeps now and every hour. A failed sweep is logged, and the next one repeats its work. */
export function scheduleSweep(sweep: Sweep, clock: Clock, log: Logger): SweepSchedule {
  const stopping = new AbortController();
  // If the clock of the machine is set ahead, a file that is being uploaded looks old. But what was made before the previous
  // sweep began has existed for an interval, however the clock was set since.
  let madeBefore: number | undefined;
  const run = async () => {
    const options = { signal: stopping.signal, madeBefore };
    madeBefore = clock.now();
    try {
      const swept = await sweep.run(options);
      if (swept.length > 0) {
        log.info({ removed: countByKind(swept) }, 'the sweep removed orphans');
      } else {
        log.debug('the sweep found no orphans');
      }
    } catch (err) {
      if (!stopping.signal.aborted) {
        log.warn({ err }, 'the sweep failed');
      }
    }
  };
  const first = run();
  let running = first;
  const runLater = () =>
    clock.after(INTERVAL_MILLIS, () => {
      running = running.then(run);
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

/** The number of removed orphans by kind. */
export function countByKind(swept: Swept[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of swept) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
