import bcrypt from 'bcrypt';
import { isBeyondPasswords, normalizePassword, PASSWORD_MAX_BYTES } from './password-rules.ts';

/*
 * Accounts have no mark that they were imported. The spelling of a hash says who made it, and so which rules its password
 * has. The gateway is strict: composed (NFC) and at most 72 bytes, because nothing else can be registered. PHP hashed the bytes
 * that it received. With bcrypt it read only the first 72 bytes, so both the whole password and its start log in.
 */

/** A stored password hash that can be compared with. */
export type StoredHash = BcryptHash | Argon2Hash;

/** A stored bcrypt hash. */
export interface BcryptHash {
  kind: 'bcrypt';
  /** `nobody` for the hash that stands in for a missing or corrupt one. It matches no password. */
  madeBy: 'gateway' | 'php' | 'nobody';
  /** The binary logarithm of its rounds. */
  cost: number;
  /** In the spelling of the bcrypt package. */
  text: string;
}

/** A stored argon2 hash. Only PHP makes them: they come from a legacy service. */
interface Argon2Hash {
  kind: 'argon2';
  madeBy: 'php';
  /** Algorithm, version and parameters: the start of the hash, up to the salt. */
  settings: string;
  text: string;
}

/** The bytes that a typed password may have been hashed as. */
export interface PasswordForm {
  bytes: Buffer;
  /** The bytes are in NFC. */
  isComposed: boolean;
}

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
  return madeBy === 'php' || (madeBy === 'gateway' && isComposed && bytes.length <= PASSWORD_MAX_BYTES);
}

/**
 * The forms of a typed password: its bytes as typed, and its bytes in NFC if they differ. A text that is too long for a
 * password of the gateway is not composed, because that takes too long.
 */
export function formsOf(password: string): PasswordForm[] {
  const typed = Buffer.from(password);
  if (isBeyondPasswords(password)) {
    return [{ bytes: typed, isComposed: false }];
  }
  const composed = normalizePassword(password);
  return composed === password
    ? [{ bytes: typed, isComposed: true }]
    : [
        { bytes: typed, isComposed: false },
        { bytes: Buffer.from(composed), isComposed: true },
      ];
}

/**
 * False for a text that is nobody's password. bcrypt reads up to a NUL, so "a" would match "a\0b". Half a surrogate pair has
 * no bytes of its own: all of them would be U+FFFD. Neither can be registered here, and the legacy service had none of them
 * either: PHP refuses to hash a NUL, and to read half a surrogate pair in JSON.
 */
export const canBePassword = (password: string): boolean =>
  !password.includes('\0') && password.isWellFormed();

/** With a cost from 4 to 20. A hash of a higher cost would keep a core busy for minutes, so it counts as corrupt. */
const BCRYPT_HASH = /^\$2([aby])\$(0[4-9]|1\d|20)\$[./A-Za-z0-9]{53}$/;
/** Salt and digest of no password. With a cost before them, they are a hash that no password matches. */
const DUMMY_SALT = '.'.repeat(22);
const DUMMY_DIGEST = '.'.repeat(31);

/**
 * Reads a stored hash. The gateway makes `$2b$`. PHP makes `$2y$`, and it also takes `$2a$`, which the gateway has never made.
 * @returns undefined if it is no bcrypt hash, or its cost is too high
 */
function parseBcryptHash(stored: string): BcryptHash | undefined {
  const [, minor, cost] = BCRYPT_HASH.exec(stored) ?? [];
  if (minor === undefined) {
    return undefined;
  }
  // The bcrypt package answers false to PHP's `$2y$`, although it is the same algorithm as `$2b$`.
  const text = stored.replace(/^\$2y\$/, '$2b$');
  return { kind: 'bcrypt', madeBy: minor === 'b' ? 'gateway' : 'php', cost: Number(cost), text };
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
const compareBcrypt = (bytes: Buffer, { text }: BcryptHash): Promise<boolean> =>
  bcrypt.compare(cutForBcrypt(bytes), text);

/** Does as much work as a comparison with a hash of this cost. */
export const spendBcrypt = (cost: number): Promise<unknown> => bcrypt.hash('', saltOf(cost));

/** A salt for a hash whose result is not used. */
const saltOf = (cost: number): string => `$2b$${String(cost).padStart(2, '0')}$${DUMMY_SALT}`;

/**
 * `argon2i` or `argon2id` in the form of PHP's password_hash: a salt of 16 bytes and a digest of 32 in Base64. The last
 * character of each has unused bits, which must be zero, or the library throws.
 */
const ARGON2_HASH =
  /^(\$argon2id?\$v=19\$m=([1-9]\d{0,5}),t=([1-9]\d{0,5}),p=([1-9]\d?)\$)[A-Za-z0-9+/]{21}[AQgw]\$[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]$/;
const DUMMY_SALT_AND_DIGEST = `${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** PHP's default is 64 MiB. libsodium's "moderate" is 256 MiB. Each core may use so much at once. */
const MAX_MEMORY_KIB = 262_144;
/** Memory times passes: four times the work of PHP's default, about half a second. */
const MAX_WORK_KIB = 1_048_576;
const MAX_LANES = 16;
/** RFC 9106 section 3.1. */
const MIN_LANE_KIB = 8;

/**
 * Reads a stored hash.
 * @returns undefined if it is no argon2 hash of PHP, or would take too much memory or time
 */
function parseArgon2Hash(stored: string): Argon2Hash | undefined {
  const [text, settings, ...parameters] = ARGON2_HASH.exec(stored) ?? [];
  const [memoryKib = 0, passes = 0, lanes = 0] = parameters.map(Number);
  const isBounded =
    memoryKib <= MAX_MEMORY_KIB &&
    memoryKib * passes <= MAX_WORK_KIB &&
    lanes <= MAX_LANES &&
    memoryKib >= MIN_LANE_KIB * lanes;
  return text && settings && isBounded ? { kind: 'argon2', madeBy: 'php', settings, text } : undefined;
}

/** Compares a password of any length. The library is loaded by the first comparison: most gateways never need it. */
async function compareArgon2(bytes: Buffer, { text }: Pick<Argon2Hash, 'text'>): Promise<boolean> {
  const { default: argon2 } = await import('@node-rs/argon2');
  return argon2.verify(text, bytes);
}

/** Does as much work as a comparison with a hash of these settings. */
export const spendArgon2 = (settings: string): Promise<unknown> =>
  compareArgon2(Buffer.alloc(0), { text: settings + DUMMY_SALT_AND_DIGEST });
