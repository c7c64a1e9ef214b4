/*
 * Loaded into a gateway with `--import`: measures how long its event loop is held. LOOP_PORT answers with the longest time since
 * the question before, in milliseconds, and forgets it.
 */
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

// Not in the threads of the embedded database, which load this file, too.
if (isMainThread) {
  measure(Number(process.env.LOOP_PORT));
}

function measure(port) {
  let longest = 0;
  let last = performance.now();
  setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 1).unref();

  createServer((_req, res) => {
    // The answer waits for the next tick of the timer, which sees the block that has just ended.
    setTimeout(() => {
      res.end(String(longest));
      longest = 0;
    }, 5);
  })
    .listen(port, '127.0.0.1')
    .unref();
}
