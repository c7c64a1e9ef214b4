import { jest } from '@jest/globals';

/** What `Date.now()` says in this process, which a test sets. All else goes on by the true time. */
export interface SetClock {
  /** Sets it ahead, or with a negative number back. */
  advance(seconds: number): void;
  /** What it says, in milliseconds. */
  now(): number;
}

/** A clock for each test of the file or block that this is called in. It stands still unless it is set. */
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
