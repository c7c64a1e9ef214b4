import type { Cancel, Clock } from '../system/clock.ts';
import { ServiceUnavailableError } from '../system/errors.ts';

/**
 * The time that one request may wait for the database, in all. With a password hash beside these waits, a refusal comes
 * within 2 s.
 *
 * The limits of the driver hold for one operation each. A login makes half a dozen operations, and each byte of a slow
 * answer restarts the limit.
 */
const BUDGET_MILLIS = 1_500;

/** The time that is left to a request. It is spent only during {@link within}, and not during {@link pauseFor}. */
export class TimeBudget {
  #leftMillis = BUDGET_MILLIS;
  #pauses = 0;
  readonly #waits = new Set<(reason: Error) => void>();
  #spendingSince: number | undefined;
  #cancelEnd: Cancel | undefined;

  constructor(private readonly clock: Clock) {}

  /**
   * Waits for work as long as the budget lasts.
   * @throws ServiceUnavailableError when it is spent. Work that has started continues, and may still succeed
   */
  async within<T>(work: () => Promise<T>): Promise<T> {
    this.demandSome();
    let giveUp: (reason: Error) => void = () => {};
    const end = new Promise<never>((_, reject) => {
      giveUp = reject;
    });
    this.#waits.add(giveUp);
    this.#update();
    try {
      return await Promise.race([work(), end]);
    } finally {
      this.#waits.delete(giveUp);
      this.#update();
    }
  }

  /** @throws ServiceUnavailableError when nothing is left: the request was refused */
  demandSome(): void {
    if (this.#leftMillis <= 0) {
      throw tooLate();
    }
  }

  /** Stops the clock during work that has limits of its own. */
  async pauseFor<T>(work: () => Promise<T>): Promise<T> {
    this.#pauses += 1;
    this.#update();
    try {
      return await work();
    } finally {
      this.#pauses -= 1;
      this.#update();
    }
  }

  #update(): void {
    const now = this.clock.elapsed();
    if (this.#spendingSince !== undefined) {
      this.#leftMillis -= now - this.#spendingSince;
    }
    const isSpending = this.#waits.size > 0 && this.#pauses === 0;
    this.#spendingSince = isSpending ? now : undefined;
    this.#cancelEnd?.();
    this.#cancelEnd = isSpending ? this.clock.after(this.#leftMillis, () => this.#end()) : undefined;
  }

  #end(): void {
    this.#leftMillis = 0;
    this.#spendingSince = undefined;
    for (const giveUp of this.#waits) {
      giveUp(tooLate());
    }
  }
}

const tooLate = () => new ServiceUnavailableError('the database has kept the request waiting for too long');
