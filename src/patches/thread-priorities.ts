// Node.js 20 to 24 on Linux: the threads of libuv's pool, found by the name that libuv gives to them from Node.js 24 on.
//
// Why: Node.js has no way to set the priority of the threads that hash passwords.
// tests/processes/thread-priorities.test.ts fails when the threads are not found any more. It can go when the hashes run in
// threads of their own.
import { readdir, readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';

/**
 * Gives the threads that hash passwords a lower priority than the one that answers requests. If more hashes run than there are
 * cores, `me` and all other requests would wait for them. Call it before other threads start, such as that of the embedded
 * database, which keeps its priority.
 *
 * Only on Linux, where each thread has its own priority (setpriority(2), "C library/kernel differences"). Node 20 gives its
 * threads no names, so there those of V8 for garbage collection get the lower priority, too.
 */
export async function lowerHashingThreads(): Promise<void> {
  if (process.platform !== 'linux') {
    return;
  }
  // The threads that hash also read files, and start with the first file: this one. A sandbox may have no /proc.
  const tasks = await readdir('/proc/self/task').catch(() => []);
  const threads = tasks.map(Number).filter((id) => id !== process.pid);
  const names = await Promise.all(threads.map(nameOf));
  const haveNames = names.includes(WORKER);
  for (const [i, thread] of threads.entries()) {
    if (!haveNames || names[i] === WORKER) {
      lower(thread);
    }
  }
}

/** The name that libuv gives to its threads for hashes and files. */
const WORKER = 'libuv-worker';

/** @returns undefined for a thread that has just ended */
const nameOf = (thread: number): Promise<string | undefined> =>
  readFile(`/proc/self/task/${thread}/comm`, 'utf8').then(
    (name) => name.trim(),
    () => undefined,
  );

function lower(thread: number): void {
  try {
    setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The thread has just ended, or a sandbox does not allow the call. Then all threads keep the same priority.
  }
}
