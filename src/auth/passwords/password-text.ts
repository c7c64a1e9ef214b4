/** bcrypt ignores what follows byte 72; a longer password is refused at registration and never matches at login. */
export const PASSWORD_MAX_BYTES = 72;

/**
 * The longest text that can be a password, in UTF-16 code units. Composing may shorten a text, but a text that composes to
 * 72 bytes is never longer than this: decomposing makes at most four code units of one (Unicode FAQ "Normalization",
 * "maximum expansion factor" of NFD in UTF-16), and each code unit takes at least one byte of UTF-8.
 */
const PASSWORD_MAX_CODE_UNITS = 4 * PASSWORD_MAX_BYTES;

/**
 * True if a text is too long for any password. Call it before {@link normalizePassword}: the time to compose grows with the
 * square of a run of combining marks, 3 s for 100 KB.
 */
export const isBeyondPasswords = (text: string): boolean => text.length > PASSWORD_MAX_CODE_UNITS;

/** The form in which passwords are measured, hashed and compared. It is the same for all keyboards. */
export const normalizePassword = (password: string): string => password.normalize('NFC');

/** Bytes of UTF-8 that bcrypt gets of a password; Infinity for a text that is too long for any password. */
export const passwordBytes = (text: string): number =>
  isBeyondPasswords(text) ? Number.POSITIVE_INFINITY : Buffer.byteLength(normalizePassword(text));

/** Code points of a password (OWASP ASVS 6.2.1 counts characters); Infinity for a text that is too long for any password. */
export const passwordCharacters = (text: string): number =>
  isBeyondPasswords(text) ? Number.POSITIVE_INFINITY : [...normalizePassword(text)].length;
