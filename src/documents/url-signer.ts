import { createHmac, timingSafeEqual } from 'node:crypto';

import type { Clock } from '../system/clock.ts';

/** The query parameters that make the URL of a document valid. */
export interface Signature {
  /** The end of its validity, in seconds since the epoch. */
  expires: string;
  /** HMAC-SHA-256 over the path and the expiry, in base64url. */
  signature: string;
}

interface SigningSettings {
  secret: string;
  /** How long a URL is valid after it was made. */
  lifetimeSeconds: number;
}

const MILLIS = 1000;

/** Signs URLs of documents, so that only their receiver can fetch the document, and only for a while. */
export class UrlSigner {
  constructor(
    private readonly settings: SigningSettings,
    private readonly clock: Clock,
  ) {}

  /** @param storedPath `<group>/<name>` */
  sign(storedPath: string): Signature {
    const expires = String(Math.floor(this.clock.now() / MILLIS) + this.settings.lifetimeSeconds);
    return { expires, signature: this.#mac(storedPath, expires).toString('base64url') };
  }

  /**
   * How much longer a signature is valid, in seconds. It takes the same time for every wrong signature.
   * @returns 0 if it is wrong or expired
   */
  secondsLeft(storedPath: string, { expires, signature }: Signature): number {
    const expected = this.#mac(storedPath, expires);
    const presented = Buffer.from(signature, 'base64url');
    const matches = presented.length === expected.length && timingSafeEqual(presented, expected);
    if (!matches) {
      return 0;
    }
    return Math.max(0, Number(expires) - Math.floor(this.clock.now() / MILLIS));
  }

  #mac(storedPath: string, expires: string): Buffer {
    return createHmac('sha256', this.settings.secret).update(`${storedPath}\n${expires}`).digest();
  }
}
