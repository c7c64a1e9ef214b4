/** Lets batches of writes run one after the other. Together they would be one long transaction, in which nothing else runs. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();

  /** Runs `batch` after those before it. Resolves or rejects as it does. */
  take<T>(batch: () => Promise<T>): Promise<T> {
    const result = this.#last.then(batch);
    this.#last = result.catch(() => {});
    return result;
  }
}
