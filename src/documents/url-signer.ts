import { createHmac, timingSafeEqual } from 'node:crypto';

/** What makes a document's URL valid, as its query parameters. */
export interface Signature {
  /** When it stops being so, in seconds since 1970. */
  expires: string;
  /** HMAC-SHA-256 over the path and the expiry, in base64url. */
  signature: string;
}

const MILLIS = 1000;

/** Signs URLs of documents, so that only who was given one can fetch the document, and only for a while. */
export class UrlSigner {
  /** @param lifetimeSeconds how long a URL is valid from when it is made */
  constructor(
    private readonly secret: string,
    private readonly lifetimeSeconds: number,
  ) {}

  /** @param storedPath `<group>/<name>` */
  sign(storedPath: string): Signature {
    const expires = String(Math.floor(Date.now() / MILLIS) + this.lifetimeSeconds);
    return { expires, signature: this.#mac(storedPath, expires).toString('base64url') };
  }

  /**
   * How much longer a signature is valid, in seconds. Takes the same time for every wrong one.
   * @returns 0 where it is not, or no more
   */
  secondsLeft(storedPath: string, { expires, signature }: Signature): number {
    const expected = this.#mac(storedPath, expires);
    const presented = Buffer.from(signature, 'base64url');
    const matches = presented.length === expected.length && timingSafeEqual(presented, expected);
    if (!matches) return 0;
    return Math.max(0, Number(expires) - Math.floor(Date.now() / MILLIS));
  }

  #mac(storedPath: string, expires: string): Buffer {
    return createHmac('sha256', this.secret).update(`${storedPath}\n${expires}`).digest();
  }
}
