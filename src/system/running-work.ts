import { setTimeout as wait } from 'node:timers/promises';

/** Work that may go on when the connection it was asked for on is gone, so that a stop can wait for its end. */
export class RunningWork {
  readonly #running = new Set<Promise<unknown>>();

  /** @returns the work itself */
  add<T>(work: Promise<T>): Promise<T> {
    const ended = () => this.#running.delete(work);
    work.then(ended, ended);
    this.#running.add(work);
    return work;
  }

  /** @returns when everything has ended, or after `patienceMillis` in any case */
  async ended(patienceMillis: number): Promise<void> {
    const tooLate = new AbortController();
    const all = Promise.allSettled(this.#running).finally(() => tooLate.abort());
    await Promise.race([all, wait(patienceMillis, undefined, { signal: tooLate.signal }).catch(() => {})]);
  }
}
