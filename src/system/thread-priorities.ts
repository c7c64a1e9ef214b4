import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Gives the thread that answers requests a higher priority than the threads that hash passwords. If more hashes run than
 * there are cores, `me` and all other requests would wait for them. Call it before other threads start, such as that of the
 * embedded database, which keeps its priority.
 *
 * Only on Linux, where each thread has its own priority (setpriority(2), "C library/kernel differences"). V8's threads for
 * garbage collection get the lower priority, too: in Node 20 they cannot be distinguished.
 */
export function preferMainThread(): void {
  if (process.platform !== 'linux') {
    return;
  }
  for (const thread of readdirSync('/proc/self/task').map(Number)) {
    if (thread === process.pid) {
      continue;
    }
    try {
      setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
    } catch {
      // The thread has just ended, or a sandbox does not allow the call. Then all threads keep the same priority.
    }
  }
}
