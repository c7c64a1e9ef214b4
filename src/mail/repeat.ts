import type { Clock } from '../system/clock.ts';
import { pause } from '../system/clock.ts';

interface Repetition {
  clock: Clock;
  /** Ends the repetition before the next try. */
  signal: AbortSignal;
  pauseMillis: number;
  maxMillis: number;
  onFailure(error: unknown): void;
}

/**
 * Runs `act` until it succeeds.
 * @returns false if it did not succeed in time
 */
export async function repeat(act: () => Promise<void>, options: Repetition): Promise<boolean> {
  const { clock, signal, pauseMillis, maxMillis, onFailure } = options;
  const endsAt = clock.elapsed() + maxMillis;
  for (;;) {
    try {
      await act();
      return true;
    } catch (error) {
      onFailure(error);
    }
    if (signal.aborted || clock.elapsed() >= endsAt) {
      return false;
    }
    // The signal ends the pause.
    await pause(clock, pauseMillis, signal).catch(() => {});
  }
}
