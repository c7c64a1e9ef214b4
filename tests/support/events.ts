/** Things that happen, and that a test may wait for before or after they have. Each is returned once. */
export class Events<T> {
  readonly #past: T[] = [];
  readonly #waiting: ((event: T) => void)[] = [];

  push(event: T): void {
    const next = this.#waiting.shift();
    if (next) {
      next(event);
    } else {
      this.#past.push(event);
    }
  }

  async next(): Promise<T> {
    if (this.#past.length > 0) {
      return this.#past.shift() as T;
    }
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
