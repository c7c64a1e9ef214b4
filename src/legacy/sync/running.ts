/** How many batches are treated at a time. Their commits share the flushes of the disk, which cost most of the time. */
const MAX_RUNNING = 8;

/** Work that runs at the same time. */
export class Running {
  readonly #works = new Set<Promise<void>>();
  #failure: { error: unknown } | undefined;

  /** @param most how many works run at a time */
  constructor(private readonly most = MAX_RUNNING) {}

  /**
   * Adds a work, after the end of another one if there are many.
   * @throws the failure of an earlier work
   */
  async add(work: Promise<void>): Promise<void> {
    const noted = work
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#works.delete(noted));
    this.#works.add(noted);
    if (this.#works.size >= this.most) {
      await Promise.race(this.#works);
    }
    this.#throwFailure();
  }

  /**
   * Waits for all works.
   * @throws the first failure
   */
  async end(): Promise<void> {
    await Promise.all(this.#works);
    this.#throwFailure();
  }

  #throwFailure(): void {
    if (this.#failure) {
      throw this.#failure.error;
    }
  }
}
