import PQueue from 'p-queue';
import { ServiceUnavailableError } from '../errors.ts';

/** Runs costly work a few at a time. Who cannot be served soon is told so at once, instead of waiting in vain. */
export class WorkQueue {
  readonly #queue: PQueue;

  /**
   * @param concurrency how many run at a time
   * @param maxWaiting how many may wait
   * @param maxWaitMillis how long each may wait to be started
   */
  constructor(
    concurrency: number,
    private readonly maxWaiting: number,
    private readonly maxWaitMillis: number,
  ) {
    this.#queue = new PQueue({ concurrency });
  }

  /** How much is being worked on, and how much is waiting for it. */
  get depth(): { running: number; waiting: number } {
    return { running: this.#queue.pending, waiting: this.#queue.size };
  }

  /**
   * @param gone aborted when nobody waits for the result any more; work that has not begun then leaves the queue
   * @throws ServiceUnavailableError when the queue is full, or the wait was too long; the reason of `gone`
   */
  async run<T>(work: () => Promise<T>, gone?: AbortSignal): Promise<T> {
    gone?.throwIfAborted();
    if (this.#queue.size >= this.maxWaiting) throw new ServiceUnavailableError('the hash queue is full');
    // Only the wait can be ended. Work that has begun cannot be stopped, so its place must not be given away.
    const waiting = new AbortController();
    const leave = () => waiting.abort(gone?.reason);
    const deadline = setTimeout(
      () => waiting.abort(new ServiceUnavailableError('the wait in the hash queue was too long')),
      this.maxWaitMillis,
    );
    gone?.addEventListener('abort', leave);
    const endOfWait = () => {
      clearTimeout(deadline);
      gone?.removeEventListener('abort', leave);
    };
    const begin = () => {
      endOfWait();
      return work();
    };
    return this.#queue.add(begin, { signal: waiting.signal }).finally(endOfWait);
  }
}
