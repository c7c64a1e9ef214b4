import { setTimeout as wait } from 'node:timers/promises';

const PAUSE_MILLIS = 20;

/**
 * Waits until a check passes. For a state of the service that no event reports, such as an empty quarantine after an answer.
 * @param check throws until it passes
 * @param timeoutMillis far longer than necessary: it ends a test that would otherwise hang
 */
export async function eventually(check: () => unknown, timeoutMillis = 100_000): Promise<void> {
  const deadline = Date.now() + timeoutMillis;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) {
        throw error;
      }
      await wait(PAUSE_MILLIS);
    }
  }
}
