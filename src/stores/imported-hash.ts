import { hash } from 'node:crypto';

/** PHP spells the same algorithm `$2y$`. */
const OWN_SPELLING = '$2b$';

/** True for a hash of this service, and for one that another program has made in the same spelling. */
export const isSpelledAsOwn = (passwordHash: string): boolean => passwordHash.startsWith(OWN_SPELLING);

const DIGEST_CHARACTERS = 16;

/**
 * A short digest of a password's hash, in hexadecimal digits. It proves that a hash was this one. It gives away neither the
 * hash nor a way to try passwords, because the salt is not in it.
 */
export const digestOfHash = (passwordHash: string): string =>
  hash('sha256', passwordHash).slice(0, DIGEST_CHARACTERS);
