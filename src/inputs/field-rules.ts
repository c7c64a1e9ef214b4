import { IsDefined, IsOptional, IsString } from 'class-validator';
import { isEmailAddress } from '../auth/email-address.ts';
import { PASSWORD_MAX_BYTES, passwordBytes, passwordCharacters } from '../auth/passwords/password-text.ts';
import { ACCEPTED_EXTENSIONS, isAcceptedDocument } from '../documents/document-types.ts';
import { ReceivedFile } from '../documents/received-file.ts';
import { isCalendarDate, latestToday } from './calendar-date.ts';
import { all, rule } from './input-rules.ts';
import { type Text, texts } from './texts.ts';

/** The longest line of text, in characters: Laravel's default for a string column. */
export const LINE_MAX_CHARACTERS = 255;

/** The longest text of several lines, in characters. */
export const LINES_MAX_CHARACTERS = 5_000;

const BYTES_PER_KILOBYTE = 1024;

/** The field must be given. An empty text counts as absent. */
export const Required = (): PropertyDecorator => IsDefined({ message: texts.required });

/** The field may be left out. */
export const Optional = (): PropertyDecorator => IsOptional();

/** True if a text can be stored and returned unchanged: it has no NUL and no lone surrogate. */
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** A line break could forge a line where the text is written (CWE-93); an escape sequence would run in a terminal. */
const CONTROL_OR_LINE_BREAK = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const CONTROL_BUT_LINE_BREAK = /[^\P{Cc}\t\r\n]/u;

const isOneLine = (text: string): boolean => isStorable(text) && !CONTROL_OR_LINE_BREAK.test(text);
const isLines = (text: string): boolean => isStorable(text) && !CONTROL_BUT_LINE_BREAK.test(text);

/** True if a text has too many characters (code points, like PHP's mb_strlen). Its cost is bounded. */
const isLonger = (text: string, maxCharacters: number): boolean =>
  text.length > 2 * maxCharacters || (text.length > maxCharacters && [...text].length > maxCharacters);

/**
 * A text of limited length that passes one more check. The check never gets a longer text: class-validator applies all
 * rules to a value, and the cost of a check may grow faster than the text.
 */
const checkedText = (
  maxCharacters: number,
  name: string,
  check: (text: string) => boolean,
  words: Text,
): PropertyDecorator =>
  all(
    IsString({ message: texts.string }),
    rule(
      'maxLength',
      (value) => typeof value !== 'string' || !isLonger(value, maxCharacters),
      () => texts.maxCharacters(maxCharacters),
      [maxCharacters],
    ),
    rule(
      name,
      (value) => typeof value !== 'string' || isLonger(value, maxCharacters) || check(value),
      () => words,
    ),
  );

/** One line of text. */
export const Line = (): PropertyDecorator =>
  checkedText(LINE_MAX_CHARACTERS, 'oneLine', isOneLine, texts.format);

/** A text of several lines, with tabs. */
export const Lines = (): PropertyDecorator =>
  checkedText(LINES_MAX_CHARACTERS, 'lines', isLines, texts.format);

/** An e-mail address. */
export const Email = (): PropertyDecorator =>
  checkedText(LINE_MAX_CHARACTERS, 'email', isEmailAddress, texts.email);

/** The password of a login. Every text is allowed. */
export const Secret = (): PropertyDecorator => IsString({ message: texts.string });

/** Yes or no, in all spellings of Laravel's rule `boolean`. */
export const Flag = (): PropertyDecorator =>
  rule(
    'flag',
    (value) => [true, false, 1, 0, '1', '0'].some((flag) => flag === value),
    () => texts.flag,
  );

/**
 * A new password: long enough, but no longer than bcrypt reads (OWASP ASVS 6.2.1, 6.2.9).
 * @param confirmation the field that repeats it. If it was sent, it must be the same
 */
export const NewPassword = (confirmation: string): PropertyDecorator =>
  all(
    Secret(),
    rule(
      'storable',
      (value) => typeof value !== 'string' || isStorable(value),
      () => texts.format,
    ),
    rule(
      'minCharacters',
      (value, rules) => typeof value !== 'string' || passwordCharacters(value) >= rules.passwordMinCharacters,
      (rules) => texts.minCharacters(rules.passwordMinCharacters),
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

/** Earlier dates are slips. Nobody alive was born before. */
const EARLIEST_BIRTH = '1900-01-01';

/** A date of birth: a day of the calendar that is not in the future. Dates of this form compare like texts. */
export const DateOfBirth = (): PropertyDecorator =>
  all(
    rule('date', isCalendarDate, () => texts.date),
    rule(
      'notTooEarly',
      (value) => !isCalendarDate(value) || value >= EARLIEST_BIRTH,
      () => texts.earliestDate(EARLIEST_BIRTH),
    ),
    rule(
      'notInFuture',
      (value, rules) => !isCalendarDate(value) || value <= latestToday(rules.clock.now()),
      () => texts.beforeOrToday,
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
