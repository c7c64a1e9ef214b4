import { setTimeout as wait } from 'node:timers/promises';

/** Work that may continue during a stop, such as that of closed connections. A stop can wait for its end. */
export class RunningWork {
  readonly #running = new Set<Promise<unknown>>();

  /** @returns `work` */
  add<T>(work: Promise<T>): Promise<T> {
    const ended = () => this.#running.delete(work);
    work.then(ended, ended);
    this.#running.add(work);
    return work;
  }

  /** Resolves when all work has ended, or after `maxWaitMillis`. */
  async ended(maxWaitMillis: number): Promise<void> {
    const tooLate = new AbortController();
    const all = Promise.allSettled(this.#running).finally(() => tooLate.abort());
    await Promise.race([all, wait(maxWaitMillis, undefined, { signal: tooLate.signal }).catch(() => {})]);
  }
}
