import { crc32 } from 'node:zlib';

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
