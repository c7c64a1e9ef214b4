import { jest } from '@jest/globals';

/**
 * Stops the clock that the app in this process measures its time limits by, for all tests of the file or block. So a slow
 * machine cannot end a wait. Node's own timers, those of the database driver and `Date` keep the real time.
 */
export function useStillTime(): void {
  beforeAll(() => {
    jest.useFakeTimers({
      doNotFake: [
        ...(['Date', 'hrtime', 'nextTick', 'queueMicrotask'] as const),
        ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
      ],
    });
  });
  afterAll(() => {
    jest.useRealTimers();
  });
}
