import type { Clock } from './clock.ts';

/**
 * Waits.
 * @throws the reason of the signal, as soon as it is aborted
 */
export const pause = (clock: Clock, millis: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(millis, () => {
      signal?.removeEventListener('abort', stop);
      resolve();
    });
    signal?.addEventListener('abort', stop, { once: true });
    if (signal?.aborted) {
      stop();
    }
  });
