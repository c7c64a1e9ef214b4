import { setTimeout as wait } from 'node:timers/promises';

const PAUSE_MILLIS = 20;

/**
 * Waits until a check passes: for what the service does after it has answered, such as emptying its quarantine.
 * @param check throws as long as it does not pass
 * @param patienceMillis far more than it takes, so that a slow or stalling machine does not fail the test
 */
export async function eventually(check: () => unknown, patienceMillis = 30_000): Promise<void> {
  const deadline = Date.now() + patienceMillis;
  for (;;) {
    try {
      await check();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await wait(PAUSE_MILLIS);
    }
  }
}
