import { setTimeout as wait } from 'node:timers/promises';

const PAUSE_MILLIS = 20;

/**
 * Waits until a check passes. For a state of the service that no event reports, such as an empty quarantine after an answer.
 * @param check throws until it passes
 * @param patienceMillis far more than it takes: it ends a test that would otherwise hang
 */
export async function eventually(check: () => unknown, patienceMillis = 30_000): Promise<void> {
  const deadline = Date.now() + patienceMillis;
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
