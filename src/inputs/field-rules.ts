import { IsDefined, IsOptional, IsString, isEmail, MaxLength } from 'class-validator';
import { PASSWORD_MAX_BYTES, passwordBytes } from '../auth/password-hasher.ts';
import { ACCEPTED_EXTENSIONS, isAcceptedDocument } from '../documents/document-types.ts';
import { ReceivedFile } from '../documents/received-file.ts';
import { all, rule } from './input-rules.ts';
import { texts } from './texts.ts';

/** The longest line of text, in characters: Laravel's default for a string column. */
const LINE_MAX_CHARACTERS = 255;
const BYTES_PER_KILOBYTE = 1024;

/** The field must be there. After tidying, an empty text is not. */
export const Required = (): PropertyDecorator => IsDefined({ message: texts.required });

/** The field may be left out. */
export const Optional = (): PropertyDecorator => IsOptional();

/** A text that can be stored and given back as it is: no NUL, no half of a surrogate pair. */
const wellFormed = rule(
  'wellFormed',
  (value) => typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0')),
  () => texts.format,
);

/** A text of limited length, in characters. */
export const Text = (maxCharacters = LINE_MAX_CHARACTERS): PropertyDecorator =>
  all(
    IsString({ message: texts.string }),
    MaxLength(maxCharacters, { message: texts.maxCharacters(maxCharacters) }),
    wellFormed,
  );

/**
 * A line break in a quoted local part, which the grammar of RFC 5321 section 4.1.2 leaves to other rules, would begin a
 * header of any message that is ever sent there (CWE-93); other control characters are of no use in an address either.
 */
const CONTROL_OR_LINE_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** An e-mail address. As Laravel's `email` rule, it needs no top-level domain and no short local part. */
export const Email = (): PropertyDecorator =>
  all(
    Text(),
    rule(
      'email',
      (value) =>
        typeof value === 'string' &&
        !CONTROL_OR_LINE_BREAK.test(value) &&
        isEmail(value, { require_tld: false, ignore_max_length: true, allow_underscores: true }),
      () => texts.email,
    ),
  );

/** A password as it was typed; which one is for login to find out. */
export const Secret = (): PropertyDecorator => IsString({ message: texts.string });

/**
 * A password to be: long enough, but no longer than bcrypt reads (OWASP ASVS 6.2.1, 6.2.9).
 * @param confirmation the field that repeats it; when that was sent, it must be the same
 */
export const NewPassword = (confirmation: string): PropertyDecorator =>
  all(
    Secret(),
    wellFormed,
    rule(
      'minBytes',
      (value, rules) => typeof value !== 'string' || passwordBytes(value) >= rules.passwordMinBytes,
      (rules) => texts.minCharacters(rules.passwordMinBytes),
    ),
    rule(
      'maxBytes',
      (value) => typeof value !== 'string' || passwordBytes(value) <= PASSWORD_MAX_BYTES,
      () => texts.maxBytes(PASSWORD_MAX_BYTES),
    ),
    rule(
      'confirmed',
      (value, _rules, input) => [undefined, value].includes(Reflect.get(input, confirmation)),
      () => texts.confirmed,
    ),
  );

/** A received file of an accepted size and type. */
export const DocumentFile = (): PropertyDecorator =>
  all(
    rule(
      'file',
      (value) => value instanceof ReceivedFile,
      () => texts.file,
    ),
    rule(
      'maxKilobytes',
      (value) => !(value instanceof ReceivedFile && value.isOverLimit),
      (rules) => texts.maxKilobytes(Math.floor(rules.maxFileBytes / BYTES_PER_KILOBYTE)),
    ),
    rule(
      'fileType',
      (value, rules) => !(value instanceof ReceivedFile) || isAcceptedDocument(value, rules.documentCheck),
      () => texts.fileType(ACCEPTED_EXTENSIONS),
    ),
  );
