import { jest } from '@jest/globals';

/**
 * Stops the clock of the app's time limits in this process, for all tests of the file or block. So a slow machine cannot end a
 * wait. Node's own timers, those of the database driver and `Date` keep the real time.
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

/** The app looks at its clock as often as this: longer steps would count as a standstill of the process. */
const STEP_MILLIS = 250;

/** Moves the stopped clock of {@link useStillTime} on. */
export async function advanceTime(millis: number): Promise<void> {
  for (let passed = 0; passed < millis; passed += STEP_MILLIS) {
    jest.advanceTimersByTime(STEP_MILLIS);
    await new Promise(setImmediate);
  }
}
