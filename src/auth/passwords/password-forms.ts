import { isBeyondPasswords, normalizePassword } from './password-text.ts';

/** The bytes that a typed password may have been hashed as. */
export interface PasswordForm {
  bytes: Buffer;
  /** The bytes are in NFC. */
  isComposed: boolean;
}

/**
 * The forms of a typed password: its bytes as typed, and its bytes in NFC if they differ. A text that is too long for our
 * passwords is not composed, because that takes too long.
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
