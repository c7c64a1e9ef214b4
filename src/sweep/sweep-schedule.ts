import type { Clock } from '../system/clock.ts';
import type { Logger } from '../system/log.ts';
import type { Sweep, Swept } from './sweep.ts';

const INTERVAL_MILLIS = 3_600_000;

/** A running schedule. */
export interface SweepSchedule {
  /** Ends the schedule. A running sweep ends after its current removal. */
  stop(): Promise<void>;
}

/** Sweeps now and every hour. A failed sweep is logged, and the next one repeats its work. */
export function scheduleSweep(sweep: Sweep, clock: Clock, log: Logger): SweepSchedule {
  const stopping = new AbortController();
  const run = () =>
    sweep.run({ signal: stopping.signal }).then(
      (swept) =>
        swept.length > 0
          ? log.info({ removed: countByKind(swept) }, 'the sweep removed orphans')
          : log.debug('the sweep found no orphans'),
      (err: unknown) => stopping.signal.aborted || log.warn({ err }, 'the sweep failed'),
    );
  let running = run();
  const runLater = () =>
    clock.after(INTERVAL_MILLIS, () => {
      running = running.then(run);
      cancel = runLater();
    });
  let cancel = runLater();
  return {
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
