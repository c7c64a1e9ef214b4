/** One Ctrl-C under `npm run` may come twice: from the terminal and from npm. */
const ECHO_MILLIS = 200;

/**
 * Calls `stop` at the first SIGINT or SIGTERM. The second ends the process, as if nobody handled it.
 * @returns a function that ends this
 */
export function stopOnSignals(stop: () => void): () => void {
  let stoppedAt: number | undefined;
  const handle = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      stoppedAt = now;
      stop();
    } else if (signal !== 'SIGINT' || now - stoppedAt > ECHO_MILLIS) {
      end();
      process.kill(process.pid, signal);
    }
  };
  const end = () => {
    process.off('SIGINT', handle);
    process.off('SIGTERM', handle);
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  return end;
}
