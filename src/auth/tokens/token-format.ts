import { createHash, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62 } from '../../system/random.ts';

/*
 * Sanctum 4's plain-text token, bit for bit, so that tokens imported from the legacy service keep working:
 *   <token id>|<prefix><40 random base-62 characters><their CRC-32 in 8 hex digits>
 * The part after the first `|` is the secret. Only its SHA-256 is stored.
 */
const ENTROPY_CHARACTERS = 40;
const SHAPE = /^([0-9A-Za-z_-]{1,64})\|([\x21-\x7e]{0,64}([0-9A-Za-z]{40})([0-9a-f]{8}))$/;

/** The parts of a plain-text token. */
export interface PresentedToken {
  tokenId: string;
  secret: string;
}

const checksum = (entropy: string): string => crc32(entropy).toString(16).padStart(8, '0');

/**
 * Makes the secret part of a new token.
 * @param prefix a fixed text, so that secret scanners recognise a leaked token; may be empty
 */
export function generateSecret(prefix: string): string {
  const entropy = randomBase62(ENTROPY_CHARACTERS);
  return `${prefix}${entropy}${checksum(entropy)}`;
}

/** The plain text of a token, which is shown to its owner once. */
export const formatToken = ({ tokenId, secret }: PresentedToken): string => `${tokenId}|${secret}`;

/**
 * Parses a presented token and checks its shape and checksum, so that a malformed token costs no query. Every prefix is
 * accepted, because a change of the setting must not revoke earlier tokens.
 * @returns undefined for a text that neither this service nor the legacy one can have issued
 */
export function parseToken(presented: string): PresentedToken | undefined {
  const [, tokenId, secret, entropy, crc] = SHAPE.exec(presented) ?? [];
  if (!tokenId || !secret || !entropy || crc !== checksum(entropy)) {
    return undefined;
  }
  return { tokenId, secret };
}

/** The id of a token, which is no secret: the part before the first `|`. */
export const tokenIdOf = (plainText: string): string => plainText.slice(0, plainText.indexOf('|'));

/** The stored form of a secret: its SHA-256 in hex. Its 238 random bits need no slow hash. */
export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/**
 * Compares a presented secret with a stored hash in constant time.
 * @param storedHash 64 hex digits; anything else matches nothing
 */
export function secretMatches(secret: string, storedHash: string): boolean {
  const stored = Buffer.from(storedHash, 'hex');
  const presented = Buffer.from(hashSecret(secret), 'hex');
  return stored.length === presented.length && timingSafeEqual(stored, presented);
}
