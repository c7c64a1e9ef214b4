import type { WindowCounts } from '../../stores/attempts.ts';
import type { Refusal, WindowLimits } from './attempt-windows.ts';

/** The windows in which an attempt was counted, or why it was refused. */
export type Taken = { counts: WindowCounts; refusal?: undefined } | { refusal: Refusal };

/** Says whether a key has room for an attempt. */
export interface Look {
  refusal: Refusal | undefined;
  /** Counts an attempt in every window, or in none if others have used up the room since. */
  take(): Promise<Taken>;
}

/** Counts attempts by key, in several windows at once. */
export interface AttemptCounter {
  /** Checks that every window has room. It counts nothing yet. */
  look(key: string): Promise<Look>;
  /**
   * Gives an attempt back to the windows in which it was counted. A window that has ended since gets nothing back:
   * otherwise its successor would allow more attempts than its limit.
   * @param counts as {@link Look} returned them
   */
  giveBack(key: string, counts: WindowCounts): Promise<void>;
  /** Forgets the attempts of a key. */
  forget(key: string): Promise<void>;
}

/**
 * Makes a counter.
 * @param name keeps its keys apart from those of other counters
 * @param limits attempts that a key has in each window
 */
export type CreateCounter = (name: string, limits: WindowLimits) => AttemptCounter;
