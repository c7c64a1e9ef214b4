import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../system/clock.ts';
import { toUrlPath } from './stored-path.ts';

/** Where callers find documents: `{base_url}/storage/<stored path>` (docs/contract.md, "Stored documents"). */
export class DocumentUrls {
  /**
   * @param baseUrl called each time, because without BASE_URL the address is known only once the port is open
   * @param signer makes each URL valid for a while; undefined if documents are public
   */
  constructor(
    private readonly baseUrl: () => string,
    private readonly signer: UrlSigner | undefined,
  ) {}

  /**
   * The absolute URL of a stored path. Only for callers who may see the document.
   * @returns null if there is no document. A path of another form than a document's gets a URL that is not found
   */
  urlOf(storedPath: string): string;
  urlOf(storedPath: string | null): string | null;
  urlOf(storedPath: string | null): string | null {
    if (!storedPath) {
      return null;
    }
    const url = `${this.baseUrl()}/storage/${toUrlPath(storedPath)}`;
    return this.signer ? `${url}?${new URLSearchParams({ ...this.signer.sign(storedPath) })}` : url;
  }
}

/** The query parameters that make the URL of a document valid. */
interface Signature {
  /** The end of its validity, in seconds since the epoch. */
  expires: string;
  /** HMAC-SHA-256 over the path and the expiry, in base64url. */
  signature: string;
}

interface SigningSecrets {
  /** Signs. */
  secret: string;
  /** Only checks. */
  otherSecrets: readonly string[];
}

interface SigningSettings extends SigningSecrets {
  /** How long a URL is valid after it was made. */
  lifetimeSeconds: number;
}

/** A secret whose URLs are accepted. */
interface AcceptedSecret {
  secret: string;
  /** The latest end of a URL of this secret, in seconds since the epoch. */
  lastExpiry: number;
}

const MILLIS = 1000;
/** More are not kept, so that a check stays cheap. Nobody replaces the secret so often on purpose. */
const MAX_FORMER_SECRETS = 100;

/** Signs URLs of documents, so that only their receiver can fetch the document, and only for a while. */
export class UrlSigner {
  readonly #lifetimeSeconds: number;
  #secrets: SigningSecrets;
  /** Secrets that sign no more URLs. Those that they have signed are valid until they end. */
  #formerSecrets: AcceptedSecret[] = [];

  constructor(
    { lifetimeSeconds, ...secrets }: SigningSettings,
    private readonly clock: Clock,
  ) {
    this.#lifetimeSeconds = lifetimeSeconds;
    this.#secrets = secrets;
  }

  /**
   * Signs with another secret from now on. The URLs of the former one stay valid until they end, but nobody who knows it can
   * sign one that is valid for longer.
   */
  replaceSecrets({ secret, otherSecrets }: SigningSecrets): void {
    const now = this.#nowSeconds();
    const former = { secret: this.#secrets.secret, lastExpiry: now + this.#lifetimeSeconds };
    const isNamed = (one: AcceptedSecret) => [secret, ...otherSecrets].includes(one.secret);
    this.#formerSecrets = [former, ...this.#formerSecrets]
      .filter((one) => !isNamed(one) && one.lastExpiry > now)
      .slice(0, MAX_FORMER_SECRETS);
    this.#secrets = { secret, otherSecrets };
  }

  /** @param storedPath `<group>/<name>` */
  sign(storedPath: string): Signature {
    const expires = String(this.#nowSeconds() + this.#lifetimeSeconds);
    return { expires, signature: macOf(this.#secrets.secret, storedPath, expires) };
  }

  /**
   * How much longer a signature is valid, in seconds. It takes the same time for every wrong signature. Only the text that
   * {@link sign} gave is right: decoded, other texts would be the same bytes.
   * @returns 0 if it is wrong or expired
   */
  secondsLeft(storedPath: string, { expires, signature }: Signature): number {
    const presented = Buffer.from(signature);
    const matching = this.#acceptedSecrets().filter(({ secret }) => {
      const expected = Buffer.from(macOf(secret, storedPath, expires));
      return presented.length === expected.length && timingSafeEqual(presented, expected);
    });
    const isValid = matching.some(({ lastExpiry }) => Number(expires) <= lastExpiry);
    return isValid ? Math.max(0, Number(expires) - this.#nowSeconds()) : 0;
  }

  #acceptedSecrets(): AcceptedSecret[] {
    const { secret, otherSecrets } = this.#secrets;
    const lastExpiry = Number.POSITIVE_INFINITY;
    return [...[secret, ...otherSecrets].map((one) => ({ secret: one, lastExpiry })), ...this.#formerSecrets];
  }

  #nowSeconds(): number {
    return Math.floor(this.clock.now() / MILLIS);
  }
}

const macOf = (secret: string, storedPath: string, expires: string): string =>
  createHmac('sha256', secret).update(`${storedPath}\n${expires}`).digest('base64url');
