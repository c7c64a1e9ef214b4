import { readdirSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Lets the thread that answers requests go before those that hash passwords: with more hashes under way than there are
 * cores, `me` and all else would wait for its turn among them. To be called before other threads are made, such as the
 * embedded database's, which is not to stand back.
 *
 * On Linux alone, where a thread has a priority of its own (setpriority(2), "C library/kernel differences"). The threads that
 * V8 collects garbage with stand back as well; nothing tells them apart in Node 20.
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
      // It has just ended, or a sandbox does not allow it: then all are equal, as they were.
    }
  }
}
