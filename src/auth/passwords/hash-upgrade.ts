import { type BcryptHash, cutForBcrypt } from './bcrypt-hash.ts';
import type { PasswordForm } from './password-forms.ts';
import { normalizePassword, PASSWORD_MAX_BYTES, passwordBytes } from './password-text.ts';
import type { StoredHash } from './stored-hash.ts';

/** A right password, and how it matched. */
export interface PasswordMatch {
  password: string;
  hash: StoredHash;
  /** The form that matched. */
  form: PasswordForm;
}

/** The bcrypt hash that should replace a stored one. */
export interface HashUpgrade {
  /** `$2b$` for a hash of ours, `$2y$` for one whose password keeps the rules of PHP. */
  prefix: '$2b$' | '$2y$';
  bytes: Buffer;
  cost: number;
}

/**
 * What should replace the hash that a password has just matched. Afterwards every text that logged in still does.
 * @param todaysCost the cost of new hashes
 * @returns undefined if the hash stays
 */
export function upgradeOf(
  { password, hash, form }: PasswordMatch,
  todaysCost: number,
): HashUpgrade | undefined {
  const fitsUs = passwordBytes(password) <= PASSWORD_MAX_BYTES;
  const asOurs = (cost: number): HashUpgrade => ({
    prefix: '$2b$',
    bytes: Buffer.from(normalizePassword(password)),
    cost,
  });
  if (hash.kind === 'argon2') {
    // bcrypt cannot hash the whole of a longer password.
    return fitsUs ? asOurs(todaysCost) : undefined;
  }
  const isWeak = hash.cost < todaysCost;
  if (fitsUs && isKnownWhole(hash, form)) {
    const isOtherForm = !form.isComposed;
    return isWeak || isOtherForm ? asOurs(Math.max(todaysCost, hash.cost)) : undefined;
  }
  return isWeak ? { prefix: '$2y$', bytes: cutForBcrypt(form.bytes), cost: todaysCost } : undefined;
}

/** PHP read at most 72 bytes. If it may have read so many, the password may go on, with bytes that nobody has checked. */
const isKnownWhole = ({ madeBy }: BcryptHash, { bytes }: PasswordForm): boolean =>
  madeBy === 'us' || bytes.length < PASSWORD_MAX_BYTES;
