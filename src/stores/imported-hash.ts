import { hash } from 'node:crypto';

const DIGEST_CHARACTERS = 16;

/**
 * A short digest of a password's hash, in hexadecimal digits. It proves that a hash was this one. It gives away neither the
 * hash nor a way to try passwords, because the salt is not in it.
 */
export const digestOfHash = (passwordHash: string): string =>
  hash('sha256', passwordHash).slice(0, DIGEST_CHARACTERS);
