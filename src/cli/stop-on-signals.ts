/** One Ctrl-C under `npm run` may come twice: from the terminal and from npm. */
const ECHO_MILLIS = 200;

/**
 * Lets a long command end between two steps. The first SIGINT or SIGTERM aborts the signal, the second ends the process, as
 * if nobody handled it.
 * @param reason called at the first one; it gives the reason of the abort
 */
export function stopOnSignals(reason: () => Error): { signal: AbortSignal; end(): void } {
  const controller = new AbortController();
  let stoppedAt: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    const now = performance.now();
    if (stoppedAt === undefined) {
      stoppedAt = now;
      controller.abort(reason());
    } else if (signal !== 'SIGINT' || now - stoppedAt > ECHO_MILLIS) {
      end();
      process.kill(process.pid, signal);
    }
  };
  const end = () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  return { signal: controller.signal, end };
}
