/*
 * Loaded into a server with `--import`: measures how long its event loop is held. LOOP_PORT answers with the longest time since
 * the question before, in milliseconds, and forgets it. Use watchLoop (watched-loop.js).
 */
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

/** Nanoseconds that this thread has run (Linux, Documentation/scheduler/sched-stats.rst). */
const SCHEDSTAT = '/proc/thread-self/schedstat';
/** The processor time of this thread where the system tells it: other processes do not count. Else the time of the clock. */
const now = existsSync(SCHEDSTAT)
  ? () => Number(readFileSync(SCHEDSTAT, 'latin1').split(' ')[0]) / 1e6
  : () => performance.now();

// Not in the threads of the embedded database, which load this file, too.
if (isMainThread) {
  measure(Number(process.env.LOOP_PORT));
}

function measure(port) {
  let longest = 0;
  let last = now();
  const look = () => {
    const time = now();
    longest = Math.max(longest, time - last);
    last = time;
  };
  setInterval(look, 1).unref();

  createServer((_req, res) => {
    // A timer has ticked meanwhile, so the block that has just ended is seen.
    setTimeout(() => {
      res.end(String(longest));
      longest = 0;
    }, 5);
  })
    .listen(port, '127.0.0.1')
    .unref();
}
