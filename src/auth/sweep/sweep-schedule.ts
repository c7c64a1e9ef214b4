import type { Clock } from '../../system/clock.ts';
import { everyHour, type Schedule } from '../../system/clock.ts';
import type { Logger } from '../../system/log.ts';
import { UnpairedError } from './pairing.ts';
import type { Sweep, Swept } from './sweep.ts';

/** Sweeps now and every hour. A failed sweep is logged, and the next one repeats its work. */
export function scheduleSweep(sweep: Sweep, clock: Clock, log: Logger): Schedule {
  // If the clock of the machine is set ahead, a file that is being uploaded looks old. But what was made before the previous
  // sweep began has existed for an interval, however the clock was set since.
  let madeBefore: number | undefined;
  /** The sentence of the last sweep about another database. It is logged once. */
  let unpaired: string | undefined;
  const run = async (signal: AbortSignal) => {
    const options = { signal, madeBefore };
    madeBefore = clock.now();
    try {
      const { removed, restored } = await sweep.run(options);
      if (removed.length > 0) {
        log.info({ removed: countByKind(removed) }, 'the sweep removed orphans');
      } else {
        log.debug('the sweep found no orphans');
      }
      if (restored.length > 0) {
        log.info({ restored: countByKind(restored) }, 'the sweep brought back what accounts own');
      }
      unpaired = undefined;
    } catch (err) {
      if (signal.aborted) {
        return;
      }
      if (!(err instanceof UnpairedError)) {
        log.warn({ err }, 'the sweep failed');
      } else if (err.message !== unpaired) {
        log.warn(err.message);
      }
      unpaired = err instanceof UnpairedError ? err.message : unpaired;
    }
  };
  return everyHour(run, clock);
}

/** The number of files and records by kind. */
export function countByKind(swept: Swept[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of swept) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
