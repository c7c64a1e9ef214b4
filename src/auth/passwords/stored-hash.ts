import { type Argon2Hash, compareArgon2, parseArgon2Hash } from './argon2-hash.ts';
import { type BcryptHash, compareBcrypt, parseBcryptHash } from './bcrypt-hash.ts';
import type { PasswordForm } from './password-forms.ts';
import { PASSWORD_MAX_BYTES } from './password-text.ts';

/*
 * Accounts have no mark that they were imported. The spelling of a hash tells who made it, and so which rules its password
 * has. Ours are strict: composed (NFC) and at most 72 bytes, because nothing else can be registered. PHP hashed the bytes
 * that it received. With bcrypt it read only the first 72 bytes, so both the whole password and its start log in.
 */

/** A stored password hash that can be compared with. */
export type StoredHash = BcryptHash | Argon2Hash;

/**
 * Reads a stored hash.
 * @returns undefined if it is corrupt, of another algorithm, or too costly
 */
export const parseStoredHash = (stored: string): StoredHash | undefined =>
  parseBcryptHash(stored) ?? parseArgon2Hash(stored);

/** Compares a form of a password with a hash. Whether a match counts is decided by {@link isTakenFor}. */
export const compareWith = (hash: StoredHash, { bytes }: PasswordForm): Promise<boolean> =>
  hash.kind === 'bcrypt' ? compareBcrypt(bytes, hash) : compareArgon2(bytes, hash);

/** True if a match of this form with this hash is a match of the password. */
export function isTakenFor({ madeBy }: StoredHash, { isComposed, bytes }: PasswordForm): boolean {
  return madeBy === 'php' || (madeBy === 'us' && isComposed && bytes.length <= PASSWORD_MAX_BYTES);
}
