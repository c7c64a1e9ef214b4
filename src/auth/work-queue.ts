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

  /** @throws ServiceUnavailableError when the queue is full, or the wait was too long */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#queue.size >= this.maxWaiting) throw new ServiceUnavailableError('the hash queue is full');
    // Only the wait has a deadline. Work that has begun cannot be stopped, so its place must not be given away.
    const waiting = new AbortController();
    const deadline = setTimeout(
      () => waiting.abort(new ServiceUnavailableError('the wait in the hash queue was too long')),
      this.maxWaitMillis,
    );
    try {
      return await this.#queue.add(
        () => {
          clearTimeout(deadline);
          return work();
        },
        { signal: waiting.signal },
      );
    } finally {
      clearTimeout(deadline);
    }
  }
}
