import { createHash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62 } from '../../system/random.ts';

/*
 * Sanctum 4's plain-text token, bit for bit, so that tokens imported from the legacy service keep working:
 *   <token id>|<prefix><40 random base-62 characters><their CRC-32 in 8 hex digits>
 * The part after the first `|` is the secret. Only its SHA-256 is stored.
 *
 * A legacy service never ends its tokens, so it may still hold those of earlier versions of Sanctum. 3.2.6 computed the
 * checksum with another polynomial. Before, secrets were 40 characters, and the oldest 80, without prefix and checksum.
 * Sanctum also takes each secret alone, without id and bar. Here that is only for imported tokens.
 */
const ENTROPY_CHARACTERS = 40;
const TOKEN_ID = /^[0-9A-Za-z_-]{1,64}$/;
const WITH_CHECKSUM = /^[\x21-\x7e]{0,64}([0-9A-Za-z]{40})([0-9a-f]{8})$/;
const WITHOUT_CHECKSUM = /^(?:[0-9A-Za-z]{40}){1,2}$/;

/** The parts of a plain-text token. */
interface TokenParts {
  tokenId: string;
  secret: string;
}

/** What a caller presents: a token, or with an undefined id only the secret of one. */
export interface PresentedToken {
  tokenId: string | undefined;
  secret: string;
}

/**
 * Makes the secret part of a new token.
 * @param prefix a fixed text, so that secret scanners recognise a leaked token; may be empty
 */
export function generateSecret(prefix: string): string {
  const entropy = randomBase62(ENTROPY_CHARACTERS);
  return `${prefix}${entropy}${crc32b(entropy)}`;
}

/** The plain text of a token, which is shown to its owner once. */
export const formatToken = ({ tokenId, secret }: TokenParts): string => `${tokenId}|${secret}`;

/**
 * Parses a presented token and checks its shape and checksum, so that a malformed token costs no query. Every prefix is
 * accepted, because a change of the setting must not revoke earlier tokens.
 * @returns undefined for a text that neither this service nor the legacy one can have issued
 */
export function parseToken(presented: string): PresentedToken | undefined {
  const bar = presented.indexOf('|');
  const tokenId = bar < 0 ? undefined : presented.slice(0, bar);
  const secret = presented.slice(bar + 1);
  const isIssuable = (tokenId === undefined || TOKEN_ID.test(tokenId)) && isSecret(secret);
  return isIssuable ? { tokenId, secret } : undefined;
}

function isSecret(text: string): boolean {
  const [, entropy, checksum] = WITH_CHECKSUM.exec(text) ?? [];
  const hasChecksum = entropy && (checksum === crc32b(entropy) || checksum === phpCrc32(entropy));
  return hasChecksum || WITHOUT_CHECKSUM.test(text);
}

/** The id of a token, which is no secret: the part before the first `|`. */
export const tokenIdOf = (plainText: string): string => plainText.slice(0, plainText.indexOf('|'));

/** The stored form of a secret: its SHA-256 in hex. Its 238 random bits need no slow hash. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/**
 * Compares a presented secret with a stored hash in constant time.
 * @param storedHash 64 hex digits in lower case; anything else matches nothing
 */
export function secretMatches(secret: string, storedHash: string): boolean {
  // As texts: decoding would end at the first character that is no hex digit, and ignore the rest.
  const stored = Buffer.from(storedHash);
  const presented = Buffer.from(hashSecret(secret));
  return stored.length === presented.length && timingSafeEqual(stored, presented);
}

/** CRC-32 as in zlib, in 8 hex digits: PHP's `hash('crc32b', …)`. Sanctum uses it since 3.3.0. */
export const crc32b = (text: string | Uint8Array): string => crc32(text).toString(16).padStart(8, '0');

/** A byte with its bits in the opposite order. */
function mirrored(byte: number): number {
  let result = 0;
  for (let bit = 0; bit < 8; bit += 1) {
    result |= ((byte >> bit) & 1) << (7 - bit);
  }
  return result;
}

/**
 * PHP's `hash('crc32', …)` in 8 hex digits, which Sanctum 3.2.6 used. It is the CRC-32 of bzip2 with its four bytes in the
 * opposite order. It takes the bits of a byte in the opposite order of zlib, so it is zlib's of the mirrored bytes, mirrored.
 * @param text ASCII
 */
export function phpCrc32(text: string): string {
  const checksum = crc32b(Buffer.from(text).map(mirrored));
  return Buffer.from(Buffer.from(checksum, 'hex').map(mirrored)).toString('hex');
}
