import { AsyncLocalStorage } from 'node:async_hooks';
import { ServiceUnavailableError } from '../errors.ts';

/**
 * How long one request may wait for the database, all its waits together. With a password hash beside them, it has its
 * 503 within 2 s (design section 1).
 *
 * The driver's own limits hold for one operation each, of which a login makes half a dozen, and start anew with every
 * byte of an answer that trickles.
 */
const PATIENCE_MILLIS = 1_500;

const patienceOfRequest = new AsyncLocalStorage<Patience>();

/**
 * Begins a request: what it asks of the database with {@link inTime} is answered in time, or fails.
 * @param request all that it does, what comes later included
 */
export const withPatience = (request: () => void): void => patienceOfRequest.run(new Patience(), request);

/**
 * Asks the database for as long as the request still may. Outside of one, as in a sweep, for as long as it takes.
 * @param ask begins the operation; not called any more once the request's time is over
 * @throws ServiceUnavailableError when that is over. The operation may then happen or not
 */
export const inTime = async <T>(ask: () => PromiseLike<T>): Promise<T> =>
  patienceOfRequest.getStore()?.wait(ask) ?? ask();

/** What is left of a request's time. It runs while at least one operation is waited for. */
class Patience {
  #leftMillis = PATIENCE_MILLIS;
  #waits = 0;
  #waitingSince = 0;

  async wait<T>(ask: () => PromiseLike<T>): Promise<T> {
    this.#tick();
    if (this.#leftMillis <= 0) throw tooLate();
    this.#waits += 1;
    let timer: NodeJS.Timeout | undefined;
    const end = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(tooLate()), this.#leftMillis);
    });
    try {
      return await Promise.race([ask(), end]);
    } finally {
      clearTimeout(timer);
      this.#tick();
      this.#waits -= 1;
    }
  }

  /** Takes off what has passed, if anything was waited for. */
  #tick(): void {
    const now = performance.now();
    if (this.#waits > 0) this.#leftMillis -= now - this.#waitingSince;
    this.#waitingSince = now;
  }
}

const tooLate = () => new ServiceUnavailableError('the database has kept the request waiting for too long');
