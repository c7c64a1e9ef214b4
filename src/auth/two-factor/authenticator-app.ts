import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { renderSVG } from 'uqr';
import { asciiDigits } from '../text-rules.ts';

/*
 * Codes of authenticator apps (RFC 6238), with the values that every app knows: SHA-1, six digits, 30 seconds.
 */

const PERIOD_SECONDS = 30;
/** 160 bits, as RFC 4226 section 4 recommends. */
const SECRET_BYTES = 20;
/** Codes of the step before and the step after are accepted, too: clocks differ (RFC 6238 section 5.2). */
const WINDOW_STEPS = 1;

/** Only ASCII digits: others make the library throw. */
const CODE = /^[0-9]{6}$/;
const BLANKS = /[\s\u00a0]+/g;
/** Far more than a code with blanks in it. A longer text is not searched for them. */
const MAX_CHARACTERS = 64;

/** How an authenticator app gets its secret. */
export interface AppEnrolment {
  /** The secret in Base32, to type. */
  secretKey: string;
  /** `otpauth:` link (Key URI Format). */
  url: string;
  /** The link as a QR code: an SVG image. */
  svg: string;
}

/** The bytes of a new secret. */
export const newAppSecret = (): Buffer => randomBytes(SECRET_BYTES);

/**
 * What a person needs to add a secret to an app.
 * @param secret its bytes
 * @param issuer the name of this service in the app (TWO_FACTOR_ISSUER)
 * @param label the e-mail of the account
 */
export function enrolmentOf(secret: Uint8Array, issuer: string, label: string): AppEnrolment {
  const totp = totpOf(secret, { issuer, label });
  const url = totp.toString();
  return { secretKey: totp.secret.base32, url, svg: renderSVG(url, { border: 2 }) };
}

/**
 * A code as it was sent, in ASCII digits and without blanks.
 * @param sent of any type
 * @returns undefined if it is not six digits
 */
export function codeOf(sent: unknown): string | undefined {
  if (typeof sent !== 'string' || sent.length > MAX_CHARACTERS) {
    return undefined;
  }
  const code = asciiDigits(sent).replace(BLANKS, '');
  return CODE.test(code) ? code : undefined;
}

/**
 * The time step of a code.
 * @param secret its bytes
 * @param code as {@link codeOf} returns it
 * @param now in milliseconds since the epoch
 * @returns undefined if it is no code of this time
 */
export function stepOf(secret: Uint8Array, code: string, now: number): number | undefined {
  const delta = totpOf(secret).validate({ token: code, timestamp: now, window: WINDOW_STEPS });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

const totpOf = (secret: Uint8Array, names: { issuer?: string; label?: string } = {}): TOTP =>
  new TOTP({
    ...names,
    algorithm: 'SHA1',
    digits: 6,
    period: PERIOD_SECONDS,
    secret: new Secret({ buffer: Uint8Array.from(secret).buffer }),
  });
