import {
  isLines,
  isLonger,
  isOneLine,
  isStorable,
  LINE_MAX_CHARACTERS,
  LINES_MAX_CHARACTERS,
  REASON_MAX_CHARACTERS,
} from '../../auth/account-texts.ts';
import { isEmailAddress, isNewEmailAddress } from '../../auth/email-address.ts';
import {
  PASSWORD_MAX_BYTES,
  passwordBytes,
  passwordCharacters,
} from '../../auth/passwords/password-rules.ts';
import { ACCEPTED_EXTENSIONS, isAcceptedDocument } from '../../documents/document-types.ts';
import { ReceivedFile } from '../../documents/received-file.ts';
import { IsDefined, IsOptional, IsString } from '../../system/class-validator.ts';
import { isCalendarDate, latestToday } from './calendar-date.ts';
import { all, type Check, rule } from './input-rules.ts';
import { type Text, texts } from './texts.ts';

const BYTES_PER_KILOBYTE = 1024;

/** The field must be given. An empty text counts as absent. */
export const Required = (): PropertyDecorator => IsDefined({ message: texts.required });

/** The field may be left out. */
export const Optional = (): PropertyDecorator => IsOptional();

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

/** A text of several lines for a person to read. */
export const ReasonText = (): PropertyDecorator =>
  checkedText(REASON_MAX_CHARACTERS, 'lines', isLines, texts.format);

/** A whole number within limits, both included. */
export const WholeNumber = (min: number, max: number): PropertyDecorator =>
  rule(
    'between',
    (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= max,
    () => texts.between(min, max),
  );

/** An e-mail address. */
export const Email = (): PropertyDecorator =>
  checkedText(LINE_MAX_CHARACTERS, 'email', isEmailAddress, texts.email);

/** The e-mail address of a new account. */
export const NewEmail = (): PropertyDecorator =>
  checkedText(LINE_MAX_CHARACTERS, 'email', isNewEmailAddress, texts.email);

/** The password of a login. Every text is allowed. */
export const Secret = (): PropertyDecorator => IsString({ message: texts.string });

/** Yes or no, in all spellings of Laravel's rule `boolean`. */
export const Flag = (): PropertyDecorator =>
  rule(
    'flag',
    (value) => [true, false, 1, 0, '1', '0'].some((flag) => flag === value),
    () => texts.flag,
  );

/** {@link NewPassword} in words, with the defaults of the settings. */
export const PASSWORD_RULES =
  'at least 8 characters and at most 72 bytes of UTF-8. Blanks count. It must not be a common password, nor contain the name or the e-mail address.';

/**
 * A new password: long enough, but no longer than bcrypt reads (OWASP ASVS 6.2.1, 6.2.9), and neither common nor made of the
 * person's name or e-mail (6.2.4, 6.2.11).
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
    rule('uncompromised', isUncommon, () => texts.uncompromised),
    rule('personal', isNotPersonal, () => texts.personal),
  );

/** Laravel, too, looks for leaked passwords last, and only if nothing else is wrong with the password. */
const isUncommon: Check = async (value, { passwordMinCharacters, passwordCheck }) =>
  !isPassword(value, passwordMinCharacters) || !(await passwordCheck.isCommon(value));

/** A registration brings the name and e-mail. Where an account changes its password, the service knows them. */
const isNotPersonal: Check = (value, { passwordMinCharacters, passwordCheck }, input) => {
  const [name, email] = ['name', 'email'].map((field) => Reflect.get(input, field));
  const person = {
    name: typeof name === 'string' ? name : '',
    email: typeof email === 'string' ? email : '',
  };
  return !isPassword(value, passwordMinCharacters) || !passwordCheck.isPersonal(value, person);
};

const isPassword = (value: unknown, minCharacters: number): value is string =>
  typeof value === 'string' &&
  isStorable(value) &&
  passwordCharacters(value) >= minCharacters &&
  passwordBytes(value) <= PASSWORD_MAX_BYTES;

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
