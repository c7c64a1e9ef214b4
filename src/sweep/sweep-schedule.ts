import type { Clock } from '../system/clock.ts';
import { everyHour, type Schedule } from '../system/every-hour.ts';
import type { Logger } from '../system/log.ts';
import type { Sweep, Swept } from './sweep.ts';

/** Sweeps now and every hour. A failed sweep is logged, and the next one repeats its work. */
export function scheduleSweep(sweep: Sweep, clock: Clock, log: Logger): Schedule {
  // If the clock of the machine is set ahead, a file that is being uploaded looks old. But what was made before the previous
  // sweep began has existed for an interval, however the clock was set since.
  let madeBefore: number | undefined;
  const run = async (signal: AbortSignal) => {
    const options = { signal, madeBefore };
    madeBefore = clock.now();
    try {
      const swept = await sweep.run(options);
      if (swept.length > 0) {
        log.info({ removed: countByKind(swept) }, 'the sweep removed orphans');
      } else {
        log.debug('the sweep found no orphans');
      }
    } catch (err) {
      if (!signal.aborted) {
        log.warn({ err }, 'the sweep failed');
      }
    }
  };
  return everyHour(run, clock);
}

/** The number of removed orphans by kind. */
export function countByKind(swept: Swept[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of swept) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
