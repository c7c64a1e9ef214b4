/** bcrypt ignores what follows byte 72; a longer password is refused at registration and never matches at login. */
export const PASSWORD_MAX_BYTES = 72;

/**
 * The longest text that can be a password, in UTF-16 code units. Composing may shorten a text, but what composes to 72
 * bytes was never longer than this: a text decomposes to at most four times its code units (Unicode FAQ "Normalization",
 * "maximum expansion factor" of NFD in UTF-16), and no byte of UTF-8 stands for more than one code unit.
 */
const PASSWORD_MAX_CODE_UNITS = 4 * PASSWORD_MAX_BYTES;

/**
 * Whether a text is too long for any password. To be asked before {@link normalizePassword}: composing takes time in the
 * square of a run of combining marks, 3 s for 100 KB.
 */
export const isBeyondPasswords = (text: string): boolean => text.length > PASSWORD_MAX_CODE_UNITS;

/** The form in which passwords are measured, hashed and compared: one and the same however the keyboard composed it. */
export const normalizePassword = (password: string): string => password.normalize('NFC');

/** Bytes of UTF-8 that bcrypt would see of a password; Infinity for a text that is too long for any. */
export const passwordBytes = (text: string): number =>
  isBeyondPasswords(text) ? Number.POSITIVE_INFINITY : Buffer.byteLength(normalizePassword(text));

/** Code points of a password (OWASP ASVS 6.2.1 counts characters); Infinity for a text that is too long for any. */
export const passwordCharacters = (text: string): number =>
  isBeyondPasswords(text) ? Number.POSITIVE_INFINITY : [...normalizePassword(text)].length;
