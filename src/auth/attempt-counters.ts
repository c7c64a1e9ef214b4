import type { WindowCounts } from '../models/attempt-count.model.ts';
import type { Refusal, WindowLimits } from './attempt-windows.ts';

/** An attempt that was counted, in these windows; or why it was not. */
export type Taken = { counts: WindowCounts; refusal?: undefined } | { refusal: Refusal };

/** Whether a key has room for an attempt. */
export interface Look {
  refusal: Refusal | undefined;
  /** Counts an attempt in every window, or, when others have used up the room since, in none. */
  take(): Promise<Taken>;
}

/** Counts attempts by key, in several windows at once. */
export interface AttemptCounter {
  /** Looks whether there is room in every window, and counts nothing yet. */
  look(key: string): Promise<Look>;
  /**
   * Gives an attempt back. It goes back to the windows in which it was counted; those that have ended since get nothing,
   * or attempts that end just after a window would give the next one more and more to spare.
   * @param counts as {@link Look} returned them
   */
  giveBack(key: string, counts: WindowCounts): Promise<void>;
  /** Forgets the attempts of a key. */
  forget(key: string): Promise<void>;
}

/**
 * Makes a counter.
 * @param name tells its keys from those of other counters
 * @param limits attempts that a key has in each window
 */
export type CreateCounter = (name: string, limits: WindowLimits) => AttemptCounter;
