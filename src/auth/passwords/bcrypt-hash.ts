import bcrypt from 'bcrypt';
import { PASSWORD_MAX_BYTES } from './password-text.ts';

/** A stored bcrypt hash. */
export interface BcryptHash {
  kind: 'bcrypt';
  /** `nobody` for the hash that stands in for a missing or corrupt one. It matches no password. */
  madeBy: 'us' | 'php' | 'nobody';
  /** The binary logarithm of its rounds. */
  cost: number;
  /** In the spelling of the bcrypt package. */
  text: string;
}

/** With a cost from 4 to 20. A hash of a higher cost would keep a core busy for minutes, so it counts as corrupt. */
const BCRYPT_HASH = /^\$2([aby])\$(0[4-9]|1\d|20)\$[./A-Za-z0-9]{53}$/;
/** Salt and digest of no password. With a cost before them, they are a hash that no password matches. */
const DUMMY_SALT = '.'.repeat(22);
const DUMMY_DIGEST = '.'.repeat(31);

/**
 * Reads a stored hash. Ours are `$2b$`. PHP makes `$2y$`, and it also takes `$2a$`, which this service has never made.
 * @returns undefined if it is no bcrypt hash, or its cost is too high
 */
export function parseBcryptHash(stored: string): BcryptHash | undefined {
  const [, minor, cost] = BCRYPT_HASH.exec(stored) ?? [];
  if (minor === undefined) {
    return undefined;
  }
  // The bcrypt package answers false to PHP's `$2y$`, although it is the same algorithm as `$2b$`.
  const text = stored.replace(/^\$2y\$/, '$2b$');
  return { kind: 'bcrypt', madeBy: minor === 'b' ? 'us' : 'php', cost: Number(cost), text };
}

/** A hash that no password matches. To compare with it is as much work as with any other of its cost. */
export const dummyBcryptHash = (cost: number): BcryptHash => ({
  kind: 'bcrypt',
  madeBy: 'nobody',
  cost,
  text: saltOf(cost) + DUMMY_DIGEST,
});

/** bcrypt itself ignores what follows byte 72. The bytes are cut here, because versions of it differ in long keys. */
export const cutForBcrypt = (bytes: Buffer): Buffer => bytes.subarray(0, PASSWORD_MAX_BYTES);

/** Compares the first 72 bytes of a password. */
export const compareBcrypt = (bytes: Buffer, { text }: BcryptHash): Promise<boolean> =>
  bcrypt.compare(cutForBcrypt(bytes), text);

/** Does as much work as a comparison with a hash of this cost. */
export const spendBcrypt = (cost: number): Promise<unknown> => bcrypt.hash('', saltOf(cost));

/** A salt for a hash whose result is not used. */
const saltOf = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$${DUMMY_SALT}`;
