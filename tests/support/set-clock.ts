import { jest } from '@jest/globals';

/** A clock for `Date.now()` in this process, which a test sets. Timers and `new Date()` keep the real time. */
export interface SetClock {
  /** Sets the clock ahead, or back with a negative number. */
  advance(seconds: number): void;
  /** The current time of the clock, in milliseconds. */
  now(): number;
}

/** Gives each test of the file or block a clock. It stands still until the test sets it. */
export function useClock(): SetClock {
  let millis = 0;
  beforeEach(() => {
    millis = Date.now();
    jest.spyOn(Date, 'now').mockImplementation(() => millis);
  });
  afterEach(() => jest.mocked(Date.now).mockRestore());
  return {
    advance: (seconds) => {
      millis += seconds * 1000;
    },
    now: () => millis,
  };
}
