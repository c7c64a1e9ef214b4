import { BATCHED_WRITES_AT_ONCE } from '../base/limits.ts';

/**
 * Lets small batches of writes run together, so that they share a transaction, and large ones one after the other. Together these
 * would be one long transaction, in which nothing else runs.
 */
export class Turns {
  #running = 0;
  readonly #waiting: { writes: number; begin: () => void }[] = [];

  /**
   * Runs `batch` after those before it, or beside them if all have few writes. Resolves or rejects as it does.
   * @param count how many writes it has
   */
  async take<T>(count: number, batch: () => Promise<T>): Promise<T> {
    const writes = Math.min(count, BATCHED_WRITES_AT_ONCE);
    await new Promise<void>((begin) => {
      this.#waiting.push({ writes, begin });
      this.#beginNext();
    });
    try {
      return await batch();
    } finally {
      this.#running -= writes;
      this.#beginNext();
    }
  }

  #beginNext(): void {
    for (
      let [next] = this.#waiting;
      next && this.#running + next.writes <= BATCHED_WRITES_AT_ONCE;
      [next] = this.#waiting
    ) {
      this.#waiting.shift();
      this.#running += next.writes;
      next.begin();
    }
  }
}
