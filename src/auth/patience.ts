import { ServiceUnavailableError } from '../errors.ts';

/**
 * How long one request may wait for the database, all its waits together. With a password hash beside them, it has its
 * 503 within 2 s (design section 1).
 *
 * The driver's own limits hold for one operation each, of which a login makes half a dozen, and start anew with every
 * byte of an answer that trickles.
 */
const PATIENCE_MILLIS = 1_500;

/** What is left of a request's time. The clock runs while something is done for it that is not excepted. */
export class Patience {
  #leftMillis = PATIENCE_MILLIS;
  /** How much of what timers are late by may still be given. */
  #lateMillis = PATIENCE_MILLIS;
  #exceptions = 0;
  readonly #waiting = new Set<(reason: Error) => void>();
  #runningSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  /**
   * Waits for work as long as the request may.
   * @throws ServiceUnavailableError when the time is over. The work then goes on behind the answer, and may succeed or not
   */
  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.#leftMillis <= 0) throw tooLate();
    let giveUp: ((reason: Error) => void) | undefined;
    const end = new Promise<never>((_, reject) => {
      giveUp = reject;
      this.#waiting.add(reject);
    });
    this.#update();
    try {
      return await Promise.race([work(), end]);
    } finally {
      if (giveUp) this.#waiting.delete(giveUp);
      this.#update();
    }
  }

  /** Stops the clock for work that has limits of its own. */
  async except<T>(work: () => Promise<T>): Promise<T> {
    this.#exceptions += 1;
    this.#update();
    try {
      return await work();
    } finally {
      this.#exceptions -= 1;
      this.#update();
    }
  }

  #update(): void {
    const now = performance.now();
    if (this.#runningSince !== undefined) this.#leftMillis -= now - this.#runningSince;
    const isRunning = this.#waiting.size > 0 && this.#exceptions === 0;
    this.#runningSince = isRunning ? now : undefined;
    clearTimeout(this.#timer);
    const dueAt = now + this.#leftMillis;
    this.#timer = isRunning ? setTimeout(() => this.#end(dueAt), this.#leftMillis) : undefined;
  }

  /**
   * After a standstill of our own the timer comes first. By how much it is late is given once: so what has arrived
   * meanwhile is read before anybody gives up, and what is still to be asked may be.
   */
  #end(dueAt: number): void {
    const now = performance.now();
    const lateMillis = Math.min(Math.max(0, now - dueAt), this.#lateMillis);
    this.#lateMillis -= lateMillis;
    this.#leftMillis = lateMillis;
    this.#runningSince = now;
    this.#timer = setTimeout(() => {
      this.#leftMillis = 0;
      this.#runningSince = undefined;
      for (const giveUp of this.#waiting) giveUp(tooLate());
    }, lateMillis);
  }
}

/** Does work that takes nothing of a client's patience. */
export const unhurried = <T>(
  client: { patience?: Patience } | undefined,
  work: () => Promise<T>,
): Promise<T> => client?.patience?.except(work) ?? work();

const tooLate = () => new ServiceUnavailableError('the database has kept the request waiting for too long');
