import { createHash } from 'node:crypto';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { TooManyAttemptsError } from '../errors.ts';
import { emailKey } from '../models/account.model.ts';

/** Attempts per minute; `undefined` settings mean that nothing is limited. */
export interface ThrottleLimits {
  /** Failed logins of one e-mail from one address. */
  loginsPerMinute: number;
  /** Registrations from one address. */
  registrationsPerMinute: number;
}

const WINDOW_SECONDS = 60;

/** Counts attempts in the service layer, so that both doors, aliases and batches count alike (OWASP ASVS 6.3.3). */
export class LoginThrottle {
  readonly #logins: RateLimiterMemory | undefined;
  readonly #registrations: RateLimiterMemory | undefined;

  /** @param limits undefined switches the throttle off */
  constructor(limits: ThrottleLimits | undefined) {
    if (!limits) return;
    this.#logins = new RateLimiterMemory({ points: limits.loginsPerMinute, duration: WINDOW_SECONDS });
    this.#registrations = new RateLimiterMemory({
      points: limits.registrationsPerMinute,
      duration: WINDOW_SECONDS,
    });
  }

  /**
   * Counts a login as failed before it is tried, so that simultaneous guesses cannot slip past the limit together.
   * @throws TooManyAttemptsError
   */
  async beforeLogin(email: string, ip: string): Promise<void> {
    await consume(this.#logins, loginKey(email, ip));
  }

  /** Forgets the failures: the caller has shown to know the password. */
  async afterSuccess(email: string, ip: string): Promise<void> {
    await this.#logins?.delete(loginKey(email, ip));
  }

  /** @throws TooManyAttemptsError */
  async beforeRegistration(ip: string): Promise<void> {
    await consume(this.#registrations, ip);
  }
}

/** Hashed, so that a key has one length however long the e-mail is. */
const loginKey = (email: string, ip: string): string =>
  createHash('sha256')
    .update(`${ip}\n${emailKey(email)}`)
    .digest('base64');

async function consume(limiter: RateLimiterMemory | undefined, key: string): Promise<void> {
  try {
    await limiter?.consume(key);
  } catch (refusal) {
    if (!(limiter && refusal instanceof RateLimiterRes)) throw refusal;
    throw new TooManyAttemptsError(Math.ceil(refusal.msBeforeNext / 1000), limiter.points);
  }
}
