import { ServiceUnavailableError } from '../errors/errors.ts';

/**
 * How long one request may wait for the database, all its waits together. With a password hash beside them, it has its
 * 503 within 2 s (design section 1).
 *
 * The driver's own limits hold for one operation each, of which a login makes half a dozen, and start anew with every
 * byte of an answer that trickles.
 */
const PATIENCE_MILLIS = 1_500;

/** A timer that is later than this was kept from being called by a process that stood still. */
export const STANDSTILL_MILLIS = 500;

/** How often the clock is looked at while it runs: of a standstill, no more than this counts. */
const LOOK_MILLIS = 250;

/**
 * What is left of a request's time. The clock runs while something is done for it that is not excepted, and while this
 * process runs: what it stands still for is no fault of the database's, which has answered meanwhile.
 */
export class Patience {
  #leftMillis = PATIENCE_MILLIS;
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
    if (this.#runningSince !== undefined) this.#leftMillis -= withoutStandstill(now - this.#runningSince);
    const isRunning = this.#waiting.size > 0 && this.#exceptions === 0;
    this.#runningSince = isRunning ? now : undefined;
    clearTimeout(this.#timer);
    this.#timer = isRunning
      ? setTimeout(() => this.#look(), Math.min(this.#leftMillis, LOOK_MILLIS))
      : undefined;
  }

  /** After a standstill of our own the timer comes first: what has arrived meanwhile is read before anybody gives up. */
  #look(): void {
    const timer = this.#timer;
    setImmediate(() => {
      if (this.#timer !== timer) return;
      this.#update();
      if (this.#leftMillis <= 0) for (const giveUp of this.#waiting) giveUp(tooLate());
    });
  }
}

/** What counts of the time since the last look. */
const withoutStandstill = (millis: number): number =>
  millis - LOOK_MILLIS < STANDSTILL_MILLIS ? millis : LOOK_MILLIS;

/** Does work that takes nothing of a client's patience. */
export const unhurried = <T>(
  client: { patience?: Patience } | undefined,
  work: () => Promise<T>,
): Promise<T> => client?.patience?.except(work) ?? work();

const tooLate = () => new ServiceUnavailableError('the database has kept the request waiting for too long');
